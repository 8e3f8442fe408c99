import type { DataDirectory } from "@etcd-operator/operator/cluster/guard/data-directory.ts";
import { AppliedState } from "./applied-state.ts";
import type { Entry } from "./entry.ts";

/** What etcd keeps in its data directory. */
export interface DataDir {
  readonly memberId: bigint;
  readonly clusterId: bigint;
  term: number;
  /** What the log begins with. */
  base: AppliedState;
  /** In order, from the one after the base on. */
  log: Entry[];
  commit: number;
  /** The outcome of everything up to what it knows to be agreed on. */
  state: AppliedState;
}

export function newDataDir(identity: Pick<DataDir, "memberId" | "clusterId">, base = new AppliedState()): DataDir {
  const { index: commit, term } = base;
  return { ...identity, term, base, log: [], commit, state: base.copy() };
}

export function lastIndex({ base, log }: DataDir): number {
  return base.index + log.length;
}

export function termAt({ base, log }: DataDir, index: number): number {
  return index === base.index ? base.term : (log[index - base.index - 1]?.term ?? 0);
}

export function entryAt({ base, log }: DataDir, index: number): Entry | undefined {
  return log[index - base.index - 1];
}

/** Whether a candidate has all that a voter asks of it, by the rule of Raft. */
export function isUpToDate(candidate: DataDir, voter: DataDir): boolean {
  const [one, other] = [lastIndex(candidate), lastIndex(voter)];
  const terms = termAt(candidate, one) - termAt(voter, other);
  return terms > 0 || (terms === 0 && one >= other);
}

/** A volume, in any pod. */
export class Disk {
  readonly id: string;
  data: DataDir | undefined;
  /** Files are there, and no log; or one that cannot be read. */
  damage: "log-gone" | "log-unreadable" | undefined;
  /** It cannot be mounted any more. */
  isLost = false;
  /** Notes beside the data directory, and snapshots; by path. */
  readonly files = new Map<string, Uint8Array>();

  constructor(id: string) {
    this.id = id;
  }

  get isEmpty(): boolean {
    return this.data === undefined && this.damage === undefined;
  }

  /** As the guard sees it. */
  get directory(): DataDirectory {
    if (this.damage === "log-gone") return { kind: "log-gone", file: "member/snap/db" };
    if (this.damage === "log-unreadable") return { kind: "log-unreadable", why: "0.wal does not say whose log it is" };
    if (!this.data) return { kind: "empty" };
    const { memberId, clusterId } = this.data;
    const index = lastIndex(this.data);
    return { kind: "member", memberId, clusterId, end: { term: termAt(this.data, index), index } };
  }

  /** Takes the data directory away, and leaves what is beside it. */
  clear(): void {
    this.data = undefined;
    this.damage = undefined;
  }

  wipe(): void {
    this.clear();
    this.files.clear();
  }

  /** Becomes a copy of another as that is now: a backup of a volume, or one that was taken for another. */
  copyFrom({ data, damage, files }: Disk): void {
    this.wipe();
    this.damage = damage;
    this.data = data && { ...data, log: [...data.log], state: data.state.copy() };
    for (const [path, content] of files) this.files.set(path, content);
  }
}
