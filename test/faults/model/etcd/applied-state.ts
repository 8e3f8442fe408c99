import type { Alarm, EtcdErrorCode } from "@etcd-operator/etcd-client";
import type { TransactionResult } from "@etcd-operator/etcd-client/transaction.ts";
import { applied, compact, type KeyValueState, newKeyValueState } from "../../world/memory-etcd.ts";
import { SortedKeys } from "../../world/sorted-keys.ts";
import type { Change, MemberRecord } from "./entry.ts";

/** What became of an entry where it was applied. */
export type Applied =
  | { readonly kind: "done"; readonly result?: TransactionResult }
  | { readonly kind: "refused"; readonly code: EtcdErrorCode; readonly reason: string };

const DONE: Applied = { kind: "done" };

/** Before 3.6, and there by default. */
const MOST_LEARNERS = 1;

/** What a member knows: the outcome of all entries up to an index. */
export class AppliedState {
  index = 0;
  term = 0;
  keys: KeyValueState;
  members: ReadonlyMap<bigint, MemberRecord> = new Map();
  readonly removed: Set<bigint>;
  /** The minor that the cluster speaks; undefined until its members have agreed on one. */
  minor: number | undefined;
  alarms: readonly Alarm[] = [];
  downgradeTo: number | undefined;

  constructor(keys: KeyValueState = newKeyValueState(), removed: Iterable<bigint> = []) {
    this.keys = keys;
    this.removed = new Set(removed);
  }

  copy(): AppliedState {
    const { newest, keys, events, revision, compacted } = this.keys;
    const copied = { newest: new Map(newest), keys: keys.copy(), events: [...events], revision, compacted };
    const { index, term, members, minor, alarms, downgradeTo } = this;
    return Object.assign(new AppliedState(copied, this.removed), { index, term, members, minor, alarms, downgradeTo });
  }

  get voters(): MemberRecord[] {
    return [...this.members.values()].filter(({ isLearner }) => !isLearner);
  }

  get isFull(): boolean {
    return this.alarms.some(({ kind }) => kind === "no-space");
  }

  apply(change: Change): Applied {
    switch (change.kind) {
      case "nothing":
        return DONE;
      case "write":
        return this.#write(change);
      case "compact":
        return this.#compact(change.revision);
      case "add-member":
        return this.#add(change.member);
      case "promote-member":
        return this.#promote(change.id);
      case "remove-member":
        return this.#remove(change.id);
      case "update-member":
        return this.#change(change.id, (member) => ({ ...member, peerUrls: change.peerUrls }));
      case "publish":
        return this.#change(change.id, (member) => ({ ...member, name: change.name, clientUrls: change.clientUrls }));
      case "set-version":
        this.minor = change.minor;
        return DONE;
      case "set-alarm":
        return this.#setAlarm(change.alarm, change.isRaised);
      case "set-downgrade":
        this.downgradeTo = change.toMinor;
        return DONE;
    }
  }

  #write({ transaction }: Extract<Change, { kind: "write" }>): Applied {
    const operations = [...transaction.success, ...(transaction.failure ?? [])];
    if (this.isFull && operations.some(({ kind }) => kind === "put")) {
      return refused("no-space", "etcdserver: mvcc: database space exceeded");
    }
    return { kind: "done", result: applied(this.keys, transaction) };
  }

  #compact(revision: bigint): Applied {
    if (revision > this.keys.revision) {
      return refused("future-revision", "etcdserver: mvcc: required revision is a future revision");
    }
    if (revision <= this.keys.compacted) {
      return refused("compacted", "etcdserver: mvcc: required revision has been compacted");
    }
    compact(this.keys, revision);
    return DONE;
  }

  #add(added: MemberRecord): Applied {
    const others = [...this.members.values()];
    if (this.members.has(added.id) || this.removed.has(added.id)) {
      return refused("already-exists", "etcdserver: member ID already exist");
    }
    if (others.some(({ peerUrls }) => peerUrls.some((url) => added.peerUrls.includes(url)))) {
      return refused("already-exists", "etcdserver: Peer URLs already exists");
    }
    if (added.isLearner && others.filter(({ isLearner }) => isLearner).length >= MOST_LEARNERS) {
      return refused("too-many-learners", "etcdserver: too many learner members in cluster");
    }
    this.members = new Map([...this.members, [added.id, added]]);
    return DONE;
  }

  #promote(id: bigint): Applied {
    if (this.members.get(id)?.isLearner === false) {
      return refused("member-not-learner", "etcdserver: can only promote a learner member");
    }
    return this.#change(id, (member) => ({ ...member, isLearner: false }));
  }

  #remove(id: bigint): Applied {
    if (!this.members.has(id)) return notFound();
    const members = new Map(this.members);
    members.delete(id);
    this.members = members;
    this.removed.add(id);
    this.alarms = this.alarms.filter(({ memberId }) => memberId !== id);
    return DONE;
  }

  #change(id: bigint, changed: (member: MemberRecord) => MemberRecord): Applied {
    const member = this.members.get(id);
    if (!member) return notFound();
    this.members = new Map([...this.members, [id, changed(member)]]);
    return DONE;
  }

  #setAlarm(alarm: Alarm, isRaised: boolean): Applied {
    const others = this.alarms.filter(({ memberId, kind }) => memberId !== alarm.memberId || kind !== alarm.kind);
    this.alarms = isRaised ? [...others, alarm] : others;
    return DONE;
  }
}

/** Keys at a revision, with nothing before it: what a restored snapshot begins with. */
export function keysFrom(newest: KeyValueState["newest"], revision: bigint, compacted: bigint): KeyValueState {
  const keys = new SortedKeys();
  for (const key of newest.keys()) keys.add(key);
  return { newest, keys, events: [], revision, compacted };
}

function refused(code: EtcdErrorCode, reason: string): Applied {
  return { kind: "refused", code, reason };
}

function notFound(): Applied {
  return refused("not-found", "etcdserver: member not found");
}
