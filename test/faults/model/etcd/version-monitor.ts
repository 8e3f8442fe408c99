import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Change } from "./entry.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { RaftGroup } from "./raft-group.ts";

/** A leader checks the versions of its members now and then; of a new cluster, soon. */
const SOON_MS = 100;
const LATER_MS = 4_000;

/** Has the members agree on the minor that all of them speak, and on the end of a downgrade. */
export class VersionMonitor {
  readonly #clock: Clock;
  readonly #group: RaftGroup;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, group: RaftGroup) {
    this.#clock = clock;
    this.#group = group;
  }

  /** To be called when anything has changed. */
  look(): void {
    const found = this.#find();
    if (!found) this.stop();
    else if (!this.#cancel) {
      const isNew = found.leader.data.state.minor === undefined;
      this.#cancel = this.#clock.after(isNew ? SOON_MS : LATER_MS, () => this.#act());
    }
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #act(): void {
    this.#cancel = undefined;
    const found = this.#find();
    if (found) this.#group.propose(found.leader, found.change);
  }

  #find(): { readonly leader: EtcdProcess; readonly change: Change } | undefined {
    const leader = this.#group.processes.find(({ role }) => role === "leader");
    const change = leader?.isPresent && changeFor(leader, this.#group.presentOn(leader.side));
    return leader && change ? { leader, change } : undefined;
  }
}

function changeFor({ data: { state } }: EtcdProcess, present: readonly EtcdProcess[]): Change | undefined {
  const members = [...state.members.keys()].map((id) => present.find(({ memberId }) => memberId === id));
  const minors = members.flatMap((process) => (process ? [process.launch.version.minor] : []));
  // A member that does not answer may be older.
  if (minors.length < members.length) return undefined;
  const lowest = Math.min(...minors);
  if (state.downgradeTo !== undefined) {
    if (state.minor !== state.downgradeTo) return { kind: "set-version", minor: state.downgradeTo };
    return Math.max(...minors) === state.downgradeTo ? { kind: "set-downgrade", toMinor: undefined } : undefined;
  }
  return state.minor === undefined || lowest > state.minor ? { kind: "set-version", minor: lowest } : undefined;
}
