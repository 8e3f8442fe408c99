import { factsOf, formatVersion, type Version } from "@etcd-operator/etcd-client";
import type { Applied } from "./applied-state.ts";
import { type DataDir, type Disk, entryAt, lastIndex } from "./disk.ts";
import type { Entry, MemberRecord } from "./entry.ts";
import type { EtcdFlags } from "./flags.ts";

/** What is needed to run an etcd. */
export interface Launch {
  /** By this name facts and faults know it. */
  readonly pod: string;
  readonly ip: string;
  /** The DNS name under which the others reach it. */
  readonly host: string;
  readonly version: Version;
  readonly command: readonly string[];
  readonly variables: ReadonlyMap<string, string>;
  readonly disk: Disk;
}

export interface Exit {
  readonly exitCode: number;
  readonly message: string;
}

/** One etcd that runs, or has run. Others decide what happens to it: how it starts, and what its cluster agrees on. */
export class EtcdProcess {
  readonly launch: Launch;
  readonly ended: Promise<Exit>;
  /** "starting" until it has checked its directory. */
  phase: "starting" | "running" | "ended" = "starting";
  flags: EtcdFlags | undefined;
  role: "follower" | "leader" = "follower";
  /** A leader's: how much of its log each of the others is known to have. */
  match = new Map<bigint, number>();
  /** The others reach it. */
  isLinked = false;
  linkedSinceMs = 0;
  /** It has reported its name to the others, and that is committed. */
  isPublished = false;
  /** It answers clients. Before, it accepts connections and says nothing. */
  isServing = false;
  /** Stopped as by SIGSTOP. */
  isFrozen = false;
  /** Clients do not get through to it, though others may. */
  isHidden = false;
  /** Those with the same name here reach each other. */
  side = "";
  readonly #waiting = new Map<Entry, (outcome: Applied) => void>();
  #data: DataDir | undefined;
  #resolve: (exit: Exit) => void = () => undefined;

  constructor(launch: Launch) {
    this.launch = launch;
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** What it runs on, also when that has been taken from its disk meanwhile. */
  get data(): DataDir {
    if (!this.#data) throw new TypeError(`${this.launch.pod} has not started`);
    return this.#data;
  }

  get hasData(): boolean {
    return this.#data !== undefined;
  }

  get memberId(): bigint {
    return this.data.memberId;
  }

  get itself(): MemberRecord | undefined {
    return this.#data?.state.members.get(this.#data.memberId);
  }

  get isLearner(): boolean {
    return this.itself?.isLearner ?? false;
  }

  /** It takes part in what its cluster does. */
  get isPresent(): boolean {
    return this.phase === "running" && this.isLinked && !this.isFrozen;
  }

  get versionText(): string {
    return formatVersion(this.launch.version);
  }

  get facts(): ReturnType<typeof factsOf> {
    return factsOf(this.launch.version);
  }

  begin(data: DataDir, flags: EtcdFlags): void {
    this.#data = data;
    this.flags = flags;
    this.phase = "running";
  }

  end(exit: Exit): void {
    if (this.phase === "ended") return;
    this.phase = "ended";
    this.role = "follower";
    this.isLinked = false;
    this.isServing = false;
    this.#waiting.clear();
    this.#resolve(exit);
  }

  /** Reports what becomes of an entry when it is applied here. */
  onApplied(entry: Entry, tell: (outcome: Applied) => void): void {
    this.#waiting.set(entry, tell);
  }

  /** Applies what is agreed on. */
  applyUpTo(index: number, told: (entry: Entry, outcome: Applied) => void): void {
    const { data } = this;
    data.commit = Math.max(data.commit, Math.min(index, lastIndex(data)));
    while (data.state.index < data.commit) {
      const entry = entryAt(data, data.state.index + 1);
      if (!entry) return;
      const outcome = data.state.apply(entry.change);
      data.state.index = entry.index;
      data.state.term = entry.term;
      if (entry.change.kind === "publish" && entry.change.id === data.memberId)
        this.isPublished = this.isServing = true;
      this.#waiting.get(entry)?.(outcome);
      this.#waiting.delete(entry);
      told(entry, outcome);
    }
  }
}
