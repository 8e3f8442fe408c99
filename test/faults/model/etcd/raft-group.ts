import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Random } from "../../../model/random.ts";
import type { Applied } from "./applied-state.ts";
import { entryAt, isUpToDate, lastIndex } from "./disk.ts";
import type { Change, Entry } from "./entry.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { EtcdFacts } from "./facts.ts";
import { electable, hasMajority, isOver } from "./raft-rules.ts";
import { agreedIndex, follow } from "./replicate.ts";

export interface GroupOptions {
  readonly clusterId: bigint;
  readonly clock: Clock;
  readonly random: Random;
  readonly facts: EtcdFacts;
  /** Ends a process. */
  readonly end: (process: EtcdProcess, exitCode: number, why: string) => void;
  /** Something may have changed that a caller waits for. */
  readonly pulse: () => void;
}

const ELECTION_MS = { least: 1_000, spread: 1_000, alone: 20 };
const REMOVED = "the member has been permanently removed from the cluster";

/**
 * The processes of one cluster, and how they agree: leaders are elected by the rules of Raft, on the logs that are
 * really there, and an entry counts once a majority of the voters has it. Messages take no time; what takes time are
 * starts and elections.
 */
export class RaftGroup {
  readonly #options: GroupOptions;
  readonly #processes = new Set<EtcdProcess>();
  readonly #elections = new Map<string, () => void>();
  readonly #doubted = new Map<EtcdProcess, () => void>();
  readonly #voted = new Set<bigint>();
  #acknowledged: Entry | undefined;
  #isSettling = false;
  #isUnsettled = false;
  /** Membership changes that a caller waits for. */
  changesUnderWay = 0;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  get processes(): readonly EtcdProcess[] {
    return [...this.#processes];
  }

  join(process: EtcdProcess): void {
    this.#processes.add(process);
    process.isLinked = true;
    process.linkedSinceMs = this.#options.clock.monotonic();
    this.settle();
  }

  leave(process: EtcdProcess): void {
    this.#processes.delete(process);
    this.#doubted.get(process)?.();
    this.#doubted.delete(process);
    this.settle();
  }

  /** The members that reach each other on one side. */
  presentOn(side: string): EtcdProcess[] {
    return this.processes.filter((process) => process.isPresent && process.side === side);
  }

  /** The leader as a process sees it. */
  leaderFor(process: EtcdProcess): EtcdProcess | undefined {
    if (!process.isPresent) return undefined;
    return this.presentOn(process.side).find(({ role }) => role === "leader");
  }

  /** The leader as a process sees it, if that reaches a majority: only then what it has is the newest. */
  confirmedLeaderFor(process: EtcdProcess): EtcdProcess | undefined {
    const leader = this.leaderFor(process);
    return leader && hasMajority(leader, this.presentOn(leader.side)) ? leader : undefined;
  }

  /** Writes something into the log; its result is reported when it is applied at the member that was asked, if ever. */
  propose(via: EtcdProcess, change: Change, tell: (outcome: Applied) => void = () => undefined): Entry | undefined {
    const leader = this.leaderFor(via);
    if (!leader) return undefined;
    const entry = this.#append(leader, change);
    via.onApplied(entry, tell);
    this.settle();
    return entry;
  }

  /** This was acknowledged to a client. */
  acknowledge(entry: Entry): void {
    if (entry.index > (this.#acknowledged?.index ?? 0)) this.#acknowledged = entry;
  }

  /** Whether a member has acknowledged anything as a voter: then it must never forget it. */
  hasVoted(memberId: bigint): boolean {
    return this.#voted.has(memberId);
  }

  /** Hands leadership over to a voter that has everything. */
  transfer(leader: EtcdProcess, target: EtcdProcess): boolean {
    const mayLead = electable(this.presentOn(leader.side)).includes(target);
    if (leader.role !== "leader" || target === leader || !mayLead) return false;
    leader.role = "follower";
    this.#elect(target);
    this.settle();
    return true;
  }

  /** To whom a leader that ends hands over. */
  successorOf(leader: EtcdProcess): EtcdProcess | undefined {
    const others = this.presentOn(leader.side).filter((process) => process !== leader);
    return electable(others).find(({ data }) => lastIndex(data) === lastIndex(leader.data));
  }

  /** Brings every member to the state that follows from which ones are present. */
  settle(): void {
    this.#isUnsettled = true;
    if (this.#isSettling) return;
    this.#isSettling = true;
    try {
      while (this.#isUnsettled) {
        this.#isUnsettled = false;
        for (const side of new Set(this.processes.map((process) => process.side))) this.#settleSide(side);
      }
    } finally {
      this.#isSettling = false;
    }
    this.#options.pulse();
  }

  stop(): void {
    for (const cancel of [...this.#elections.values(), ...this.#doubted.values()]) cancel();
    this.#elections.clear();
    this.#doubted.clear();
  }

  #settleSide(side: string): void {
    const present = this.presentOn(side);
    const leaders = present.filter(({ role }) => role === "leader").sort((a, b) => b.data.term - a.data.term);
    const [first, ...older] = leaders;
    for (const leader of older) leader.role = "follower";
    if (first && isOver(first, present)) first.role = "follower";
    if (first?.role === "leader") {
      this.#cancelElection(side);
      this.#lead(first, present);
      this.#doubt(first);
    } else if (electable(present).length > 0) this.#scheduleElection(side, present);
    else this.#cancelElection(side);
    this.#tellRemoved(side);
  }

  /**
   * A leader that does not reach a majority leads on for a while, and what it writes down then may count later, or
   * never.
   */
  #doubt(leader: EtcdProcess): void {
    if (hasMajority(leader, this.presentOn(leader.side))) {
      this.#doubted.get(leader)?.();
      this.#doubted.delete(leader);
    } else if (!this.#doubted.has(leader)) {
      const stepDown = () => {
        this.#doubted.delete(leader);
        if (leader.isPresent) leader.role = "follower";
        this.settle();
      };
      this.#doubted.set(leader, this.#options.clock.after(ELECTION_MS.least, stepDown));
    }
  }

  #lead(leader: EtcdProcess, present: readonly EtcdProcess[]): void {
    for (let isNews = true; isNews; ) {
      for (const process of present) {
        if (process === leader || process.phase === "ended" || !leader.data.state.members.has(process.memberId))
          continue;
        const why = follow(process, leader);
        if (why) this.#options.end(process, 2, `panic: ${why}`);
        else this.#noteVoter(process, leader);
        if (!why) process.applyUpTo(leader.data.commit, (entry, outcome) => this.#told(process, entry, outcome));
      }
      const agreed = agreedIndex(leader);
      isNews = agreed > leader.data.commit;
      leader.applyUpTo(agreed, (entry, outcome) => this.#told(leader, entry, outcome));
      if (!isNews) isNews = this.#publish(leader, present);
    }
  }

  /** Beside one other, which has everything, a voter that has not reported its name yet may begin again. */
  #noteVoter({ memberId }: EtcdProcess, { data: { state } }: EtcdProcess): void {
    const member = state.members.get(memberId);
    if (member?.isLearner === false && (member.name !== "" || state.members.size > 2)) this.#voted.add(memberId);
  }

  /** A started member reports its name. */
  #publish(leader: EtcdProcess, present: readonly EtcdProcess[]): boolean {
    const unpublished = present.find(
      (process) => !process.isPublished && process.itself && leader.data.state.members.has(process.memberId),
    );
    const { flags } = unpublished ?? {};
    if (!unpublished || !flags || this.#isOnItsWay(leader, unpublished)) return false;
    const { name, clientUrls } = flags;
    this.#append(leader, { kind: "publish", id: unpublished.memberId, name, clientUrls });
    return true;
  }

  #isOnItsWay({ data }: EtcdProcess, { memberId }: EtcdProcess): boolean {
    for (let index = lastIndex(data); index > data.commit; index -= 1) {
      const change = entryAt(data, index)?.change;
      if (change?.kind === "publish" && change.id === memberId) return true;
    }
    return false;
  }

  #append(leader: EtcdProcess, change: Change): Entry {
    const entry = { index: lastIndex(leader.data) + 1, term: leader.data.term, change };
    leader.data.log.push(entry);
    return entry;
  }

  #told(process: EtcdProcess, { change }: Entry, outcome: Applied): void {
    if (outcome.kind === "refused") return;
    if (change.kind === "remove-member") {
      process.match.delete(change.id);
      this.#isUnsettled = true;
    }
    if (change.kind === "promote-member" || change.kind === "add-member") this.#isUnsettled = true;
  }

  /** A removed member learns that from the others, or from its own log. */
  #tellRemoved(side: string): void {
    for (const process of this.presentOn(side)) {
      const isRemoved = this.presentOn(side).some(({ data }) => data.state.removed.has(process.memberId));
      if (isRemoved) this.#options.end(process, 0, REMOVED);
    }
  }

  #scheduleElection(side: string, present: readonly EtcdProcess[]): void {
    if (this.#elections.has(side)) return;
    const { clock, random } = this.#options;
    const isAlone = present.some(({ data }) => data.state.voters.length === 1);
    const delayMs = isAlone ? ELECTION_MS.alone : ELECTION_MS.least + random.int(ELECTION_MS.spread);
    const cancel = clock.after(delayMs, () => {
      this.#elections.delete(side);
      const chosen = random.pick(electable(this.presentOn(side)));
      if (chosen && !this.leaderFor(chosen)) this.#elect(chosen);
      this.settle();
    });
    this.#elections.set(side, cancel);
  }

  #cancelElection(side: string): void {
    this.#elections.get(side)?.();
    this.#elections.delete(side);
  }

  #elect(process: EtcdProcess): void {
    const { facts, clusterId } = this.#options;
    const { data } = process;
    const present = this.presentOn(process.side);
    const term = Math.max(...present.map((other) => other.data.term)) + 1;
    for (const other of present) if (isUpToDate(data, other.data)) other.data.term = term;
    process.role = "leader";
    this.#voted.add(process.memberId);
    process.match = new Map();
    const lost = this.#acknowledged;
    if (lost && entryAt(data, lost.index) !== lost) {
      facts.violations.push(
        `${process.launch.pod} leads cluster ${clusterId.toString(16)} without entry ${lost.index} of term ${lost.term}, which a client was told is safe`,
      );
      this.#acknowledged = undefined;
    }
    this.#append(process, { kind: "nothing" });
  }
}
