import type { Fence } from "@etcd-operator/controller-runtime";
import type { CallOptions, EtcdClient, Member } from "@etcd-operator/etcd-client";
import { factsOf, parseVersion } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { fromHex, toHex } from "../model/hex-id.ts";
import { idsOf, listedMembers, type MemberSeen, membersSeen, nameOf } from "../model/members.ts";
import type { EtcdMember, Observation } from "../model/observation.ts";
import type { Voter } from "../model/quorum.ts";
import { type Asked, askMember } from "../observe/members/ask-member.ts";
import { ActionError } from "./action-error.ts";
import { type LiveReads, leavingAmong } from "./live-reads.ts";
import type { MemberClients } from "./member-clients.ts";
import { type Postponed, postponed, settled } from "./postponed.ts";

// A healthy member answers within milliseconds.
const QUESTION_MS = 2_000;

/** The list of members, and the member that returned it: changes use the same one. */
export interface MemberList {
  readonly kind: "list";
  readonly members: readonly EtcdMember[];
  readonly via: EtcdClient;
  /** The name of the member that returned the list. */
  readonly from: string;
}

export interface MembersAndVoters extends MemberList {
  readonly voters: readonly Voter[];
}

/** What the members of the recorded cluster report at this moment. An answer of another cluster is an error. */
export class LiveEtcd {
  readonly #seen: Observation;
  readonly #clients: MemberClients;
  readonly #fence: Fence;
  readonly #live: LiveReads;
  readonly #signal: AbortSignal;

  constructor(seen: Observation, clients: MemberClients, fence: Fence, live: LiveReads, signal: AbortSignal) {
    this.#seen = seen;
    this.#live = live;
    this.#clients = clients;
    this.#fence = fence;
    this.#signal = signal;
  }

  /**
   * The members as the majority knows them, from a voter that was healthy, the leader first; `lastly` are asked after
   * all others.
   */
  async members(lastly: readonly string[] = []): Promise<MemberList | Postponed> {
    const isFit = ({ health, etcd }: MemberSeen) => health === "healthy" && etcd?.isLearner === false;
    const asked = membersSeen(this.#seen).filter((member) => member.pod && isFit(member));
    const rank = ({ name, isLeader }: MemberSeen) => Number(lastly.includes(name)) * 2 - Number(isLeader);
    return this.#firstList(
      asked.sort((a, b) => rank(a) - rank(b)),
      true,
    );
  }

  /**
   * As one member knows them, where there is no majority to ask: the one that has got furthest. Still it may be behind.
   */
  async newestCopy(): Promise<MemberList | Postponed> {
    const asked = membersSeen(this.#seen).filter(({ pod, etcd }) => pod?.answer.status && etcd?.isLearner === false);
    const indexes = await Promise.all(asked.map(({ name }) => this.#raftIndexOf(name)));
    const byProgress = asked
      .map((member, index) => ({ member, raftIndex: indexes[index] ?? -1n }))
      .sort((a, b) => Number(b.raftIndex - a.raftIndex));
    return this.#firstList(
      byProgress.map(({ member }) => member),
      false,
    );
  }

  /** As the member behind a connection knows them: at least what was done through it. */
  async copyOf(via: EtcdClient): Promise<readonly EtcdMember[]> {
    return (await via.members({ ...this.#question(), linearizable: false })).map(toEtcdMember);
  }

  /**
   * The same, and which of the voters are up. The voters that were observed are asked at the same time, except
   * those removed since, by id; if the list turns out to be another, its voters are asked.
   */
  async membersAndVoters(lastly?: string, gone: readonly string[] = []): Promise<MembersAndVoters | Postponed> {
    const expected = listedMembers(this.#seen).filter(({ id }) => !gone.includes(id));
    const [list, voters] = await settled([this.members(lastly === undefined ? [] : [lastly]), this.voters(expected)]);
    if (list.kind === "postponed") return list;
    const isExpected = idsOf(list.members) === idsOf(expected);
    return { ...list, voters: isExpected ? voters : await this.voters(list.members) };
  }

  /**
   * The voters of a list; up are those that answer as themselves, reach a majority, and whose pods stay as they are.
   */
  async voters(members: readonly EtcdMember[]): Promise<readonly Voter[]> {
    const voters = members.filter(({ isLearner }) => !isLearner);
    const [pods, healthy] = await Promise.all([
      this.#live.labelled(resources.pods),
      Promise.all(voters.map((voter) => this.isHealthy(voter))),
    ]);
    const leaving = leavingAmong(pods);
    return voters.map((voter, index) => {
      const name = nameOf(voter);
      return { name, isUp: healthy[index] === true && !leaving.has(name) };
    });
  }

  /**
   * False also for one that could not be asked, or whose pod is terminating. A learner that names a leader counts: the
   * caller knows of a majority.
   */
  async isHealthy(member: EtcdMember): Promise<boolean> {
    return (await this.#askAs(member))?.answer.health === "healthy";
  }

  /** Whether it has just read through a majority. False also for a learner: it never forgets a leader that is dead. */
  async servesMajority(member: EtcdMember): Promise<boolean> {
    return (await this.#askAs(member))?.reached?.isHealthy === true;
  }

  /** How far in the log it has got, as it says itself; undefined when it could not be asked. */
  async logIndexOf(member: EtcdMember): Promise<number | undefined> {
    return (await this.#askAs(member))?.answer.status?.log?.index;
  }

  /** What it answers as itself; undefined when it could not be asked. */
  async #askAs(member: EtcdMember): Promise<Asked | undefined> {
    const pod = this.#seen.pods.find(({ name }) => name === nameOf(member));
    if (!pod || pod.stage === "ended" || pod.isTerminating) return undefined;
    const client = await this.#clients.clientOf(this.#seen, pod.name).catch(() => undefined);
    if (!client) return undefined;
    const clusterId = this.#seen.cluster.status?.clusterID;
    const asked = await askMember(client, { clusterId, timeoutMs: QUESTION_MS, signal: this.#signal });
    // Its address may have been given to another member meanwhile.
    return asked.answer.status?.memberId === member.id ? asked : undefined;
  }

  async clientOf(podName: string): Promise<EtcdClient> {
    return this.#clients.clientOf(this.#seen, podName);
  }

  /** Asks one member about itself. */
  async ask<T>(podName: string, question: (client: EtcdClient, options: CallOptions) => Promise<T>): Promise<T> {
    return question(await this.clientOf(podName), { signal: this.#signal, expectClusterId: this.#clusterId() });
  }

  /** Makes one change, once: whatever fails may have been applied. */
  async change<T>(
    operation: string,
    via: EtcdClient,
    ask: (client: EtcdClient, options: CallOptions) => Promise<T>,
  ): Promise<T> {
    this.#fence(operation);
    return ask(via, { signal: this.#signal, expectClusterId: this.#clusterId() });
  }

  async #raftIndexOf(podName: string): Promise<bigint> {
    try {
      const client = await this.#clients.clientOf(this.#seen, podName);
      return (await client.status(this.#question())).raftIndex;
    } catch {
      this.#signal.throwIfAborted();
      return -1n;
    }
  }

  async #firstList(asked: readonly MemberSeen[], isConfirmed: boolean): Promise<MemberList | Postponed> {
    const question = this.#question();
    let failure: unknown;
    for (const { name, pod } of asked) {
      try {
        const via = await this.#clients.clientOf(this.#seen, name);
        if (isConfirmed) await this.#catchUp(via, pod?.answer.status?.version);
        const members = await via.members({ ...question, linearizable: isConfirmed });
        return { kind: "list", members: members.map(toEtcdMember), via, from: name };
      } catch (error) {
        this.#signal.throwIfAborted();
        failure = error;
      }
    }
    if (failure) throw failure;
    return postponed("no voter that could list the members responds", 1_000);
  }

  // Before 3.5 a list comes from the member's own copy. Changes of it are in the log, so a read that went through the
  // majority brings the copy up to date.
  async #catchUp(via: EtcdClient, version = ""): Promise<void> {
    const known = parseVersion(version);
    if (known && factsOf(known).hasLinearizableMemberList) return;
    const { error } = await via.health(this.#question());
    if (error) throw error;
  }

  #question(): CallOptions {
    return { timeoutMs: QUESTION_MS, signal: this.#signal, expectClusterId: this.#clusterId() };
  }

  #clusterId(): bigint {
    const recorded = this.#seen.cluster.status?.clusterID;
    if (recorded) return fromHex(recorded);
    throw new ActionError("invalid", "asking etcd", "the cluster ID is not recorded yet");
  }
}

export function toEtcdMember({ id, name, peerUrls, isLearner }: Member): EtcdMember {
  return { id: toHex(id), name, peerUrls, isLearner };
}
