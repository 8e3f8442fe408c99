import {
  type CallOptions,
  compareVersions,
  type EtcdClient,
  EtcdError,
  type EtcdErrorCode,
  type Member as ListedMember,
  type MemberStatus,
  parseVersion,
} from "@etcd-operator/etcd-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { MemberClients } from "@etcd-operator/operator/cluster/act/member-clients.ts";
import {
  type Answer,
  addMember,
  append,
  elect,
  electable,
  healthyPods,
  leaderOf,
  liveMembers,
  majoritySide,
  promoteMember,
  removeMember,
  runningLog,
} from "./etcd-model.ts";
import type { Hand } from "./hand.ts";
import { addressOf } from "./objects-in-world.ts";
import type { Etcd, Log, Member, Pod, World } from "./world.ts";

type Asked = Pick<
  EtcdClient,
  | "endpoint"
  | "status"
  | "range"
  | "members"
  | "addMember"
  | "promoteMember"
  | "removeMember"
  | "moveLeader"
  | "downgrade"
  | "clusterVersion"
  | "health"
  | "alarms"
  | "hashKeyValues"
  | "close"
>;

/** How many entries of a real log one of the model stands for. */
export const ENTRIES = 1_000;

/** The ways to the members of the model, at the addresses that were seen. */
export function membersInWorld(hand: Hand): MemberClients {
  return {
    async clientOf(seen, name) {
      const ip = seen.pods.find((pod) => pod.name === name)?.ip;
      if (ip === undefined) throw refused("unavailable", `${name} has no address`);
      return memberAt(hand, ip);
    },
  };
}

/** The member that answers at an address. */
export function memberAt(hand: Hand, ip: string): EtcdClient {
  return new MemberInWorld(hand, ip) as Asked as EtcdClient;
}

/**
 * A member of the model, as far as actions use it. Reads go to the world that the hand observes, changes to
 * the one that is.
 */
class MemberInWorld implements Asked {
  readonly endpoint: string;
  readonly #hand: Hand;
  readonly #ip: string;

  /** Handed on without the client. */
  readonly range = async (_: unknown, options?: CallOptions): Promise<never> => {
    const { seeing } = this.#hand;
    const { pod, log } = this.#at(seeing, options);
    if (isLearner(log)) throw refused("not-for-learners", "rpc not supported for learner");
    if (!healthyPods(seeing).has(pod)) throw refused("deadline", "no answer from a majority");
    return undefined as never;
  };

  constructor(hand: Hand, ip: string) {
    this.endpoint = ip;
    this.#hand = hand;
    this.#ip = ip;
  }

  async status(options?: CallOptions): Promise<MemberStatus> {
    return statusIn(this.#hand.seeing, this.#at(this.#hand.seeing, options));
  }

  async health(options?: CallOptions) {
    const { seeing } = this.#hand;
    try {
      const { pod } = this.#at(seeing, options);
      if (healthyPods(seeing).has(pod)) return { health: "healthy" as const };
      return { health: "unhealthy" as const, error: refused("deadline", "no answer from a majority") };
    } catch (error) {
      return { health: "unknown" as const, error: error as EtcdError };
    }
  }

  async members({ linearizable = true, ...options }: CallOptions & { linearizable?: boolean } = {}) {
    const { seeing } = this.#hand;
    const { pod, log, etcd } = this.#at(seeing, options);
    if (linearizable && !healthyPods(seeing).has(pod)) throw refused("deadline", "no answer from a majority");
    return listed(seeing, linearizable ? etcd.members : log.members);
  }

  async addMember({ peerUrls, asLearner }: Parameters<EtcdClient["addMember"]>[0], options?: CallOptions) {
    const host = new URL(peerUrls[0] ?? "").hostname.split(".")[0] ?? "";
    const made = this.#change(options, (world, etcd, via) => addMember(world, etcd, host, asLearner, via));
    return made.find(({ peerUrls: [url] }) => url === peerUrls[0]) as ListedMember;
  }

  async promoteMember(id: bigint, options?: CallOptions) {
    return this.#change(options, (world, etcd, via) => promoteMember(world, etcd, id.toString(16), via));
  }

  async removeMember(id: bigint, options?: CallOptions) {
    return this.#change(options, (world, etcd, via) => removeMember(world, etcd, id.toString(16), via));
  }

  async moveLeader(to: bigint, options?: CallOptions): Promise<void> {
    this.#change(options, (world, etcd, via) => {
      const next = electable(world, etcd).find(({ member }) => member.id === to.toString(16));
      if (runningLog(world, via)?.memberId !== etcd.leaderId) return "not-leader";
      if (!next) return "deadline";
      elect(world, etcd, next);
      return "done";
    });
  }

  async downgrade(step: "validate" | "enable" | "cancel", target: string, options?: CallOptions): Promise<string> {
    const { etcd } = this.#at(this.#hand.seeing, options);
    if (step === "validate") {
      if (etcd.downgradeTarget !== undefined) throw refused("refused", "cluster has a downgrade job in progress");
      return target;
    }
    this.#change(options, (_, changing) => {
      changing.downgradeTarget = step === "enable" ? target : undefined;
      return "done";
    });
    return target;
  }

  async clusterVersion(options?: CallOptions): Promise<string> {
    const { seeing } = this.#hand;
    return `${clusterMinor(seeing, this.#at(seeing, options).etcd)}.0`;
  }

  /** An entry of the log like any other; so many of them are one of the model. */
  async alarms(options?: CallOptions): Promise<readonly never[]> {
    const { world } = this.#hand;
    const { etcd } = this.#at(world, options);
    etcd.questions = ((etcd.questions ?? 0) + 1) % ENTRIES;
    if (etcd.questions > 0) return [];
    const leader = leaderOf(world, etcd);
    if (!leader) throw refused("no-leader", "no leader");
    append(etcd, majoritySide(world, etcd), false);
    return [];
  }

  async hashKeyValues(revision: bigint, options?: CallOptions) {
    const { log } = this.#at(this.#hand.seeing, options);
    if (revision > BigInt(log.index)) throw refused("future-revision", "required revision is a future revision");
    return { hash: Number(revision), revision, compactRevision: 0n };
  }

  close(): void {}

  /** A change that was made is known to the member that it was made by. */
  #change(
    options: CallOptions | undefined,
    ask: (world: World, etcd: Etcd, via: Pod) => Answer,
  ): readonly ListedMember[] {
    const { world } = this.#hand;
    return this.#hand.write(() => {
      const { etcd, pod } = this.#at(world, options);
      const answer = leaderOf(world, etcd) ? ask(world, etcd, pod) : "no-leader";
      if (answer !== "done") throw refused(answer, "the model of etcd says so");
      return listed(world, etcd.members);
    });
  }

  /** The member that answers at the address. */
  #at(world: World, options: CallOptions = {}): { readonly pod: Pod; readonly log: Log; readonly etcd: Etcd } {
    for (const pod of world.pods.values()) {
      const log = pod.isReachable && addressOf(pod) === this.#ip ? runningLog(world, pod) : undefined;
      const etcd = log && world.etcds.get(log.clusterId);
      if (!log || !etcd) continue;
      const { expectClusterId } = options;
      if (expectClusterId === undefined || expectClusterId === BigInt(`0x${log.clusterId}`)) return { pod, log, etcd };
      throw refused("wrong-cluster", `cluster ${log.clusterId} answers`);
    }
    throw refused("unavailable", `nothing answers at ${this.#ip}`);
  }
}

/** What a member reports of itself. */
export function statusIn(
  world: World,
  { pod, log, etcd }: { readonly pod: Pod; readonly log: Log; readonly etcd: Etcd },
): MemberStatus {
  const learner = isLearner(log);
  // A learner never campaigns: it names its leader for as long as its process lives, though that is dead.
  const leaderId = healthyPods(world).has(pod) || learner ? etcd.leaderId : undefined;
  const version = pod.runs?.version ?? pod.etcdVersion;
  const raftIndex = BigInt(log.index * ENTRIES + (etcd.index === log.index ? (etcd.questions ?? 0) : 0));
  return {
    clusterId: BigInt(`0x${log.clusterId}`),
    memberId: BigInt(`0x${log.memberId}`),
    version,
    leaderId: leaderId === undefined ? undefined : BigInt(`0x${leaderId}`),
    isLearner: learner,
    revision: BigInt(log.index),
    // Terms are not counted in the model; each leader has one of its own.
    raftTerm: BigInt(`0x${etcd.leaderId ?? "0"}`),
    raftIndex,
    raftAppliedIndex: raftIndex,
    dbSizeBytes: 20_480,
    ...(isFrom(version, 6) && { storageVersion: `${clusterMinor(world, etcd)}.0` }),
    ...(etcd.downgradeTarget !== undefined && { downgradeTarget: etcd.downgradeTarget }),
    errors: [],
  };
}

function isFrom(version: string, minor: number): boolean {
  return (parseVersion(version)?.minor ?? 0) >= minor;
}

/** What all members that run have in common, or were asked to downgrade to. */
function clusterMinor(world: World, etcd: Etcd): string {
  const versions = liveMembers(world, etcd).flatMap(
    ({ pod }) => parseVersion(pod.runs?.version ?? pod.etcdVersion) ?? [],
  );
  const [lowest] = versions.sort(compareVersions);
  return etcd.downgradeTarget ?? `${lowest?.major}.${lowest?.minor}`;
}

function isLearner({ members, memberId }: Log): boolean {
  return members.find(({ id }) => id === memberId)?.isLearner ?? false;
}

function listed({ cluster }: World, members: readonly Member[]): readonly ListedMember[] {
  return members.map(({ id, name, host, isLearner: learner }) => ({
    id: BigInt(`0x${id}`),
    name,
    peerUrls: [memberAddresses(cluster, host).peerUrl],
    clientUrls: [],
    isLearner: learner,
  }));
}

function refused(code: EtcdErrorCode, reason: string): EtcdError {
  return new EtcdError(code, { operation: "asking", endpoint: "the model", reason });
}
