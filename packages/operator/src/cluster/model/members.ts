import { memberAddresses, memberName, peerServiceName } from "../../api/cluster/cluster-names.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { givenHash } from "../objects/pod/pod-hash.ts";
import type { ClaimSeen, EtcdMember, Health, Observation, PodSeen } from "./observation.ts";

export type MemberIntent = NonNullable<EtcdClusterStatus["memberIntents"]>[number];

/** Everything known of one member, from etcd, from Kubernetes and from our own notes. */
export interface MemberSeen {
  readonly name: string;
  /** Its entry in the list of members; absent while it is only declared, and when it has been removed. */
  readonly etcd: EtcdMember | undefined;
  readonly pod: PodSeen | undefined;
  readonly claim: ClaimSeen | undefined;
  readonly intent: MemberIntent | undefined;
  readonly health: Health;
  readonly isLeader: boolean;
  /** Another client added it, and it runs elsewhere: it counts, but is not ours to remove. */
  readonly isExternal: boolean;
  /** Since when it has not been seen healthy, as far as we know; absent while it is. */
  readonly notHealthySinceMs: number | undefined;
  /**
   * When it was first and last seen with its database being defragmented since it was healthy; absent when it was not.
   */
  readonly defragmenting?: { readonly sinceMs: number; readonly untilMs: number };
}

/** All members that any source names: etcd, pods, claims and intents. */
export function membersSeen(seen: Observation): readonly MemberSeen[] {
  const listed = listedMembers(seen);
  const { memberIntents = [] } = seen.cluster.status ?? {};
  const names = new Set([
    ...listed.map((member) => nameOf(member)),
    ...seen.pods.map(({ name }) => name),
    ...seen.claims.map(({ name }) => name),
    ...memberIntents.map(({ name }) => name),
  ]);
  const leader = leaderIdOf(seen);
  return [...names].map((name) => {
    const etcd = listed.find((member) => nameOf(member) === name);
    const pod = seen.pods.find((each) => each.name === name);
    const health = pod?.answer.health ?? "unknown";
    return {
      name,
      etcd,
      pod,
      claim: seen.claims.find((each) => each.name === name),
      intent: memberIntents.find((intent) => intent.name === name),
      health,
      isLeader: etcd !== undefined && etcd.id === leader,
      isExternal: etcd !== undefined && isExternal(etcd, seen),
      notHealthySinceMs: health === "healthy" ? undefined : notHealthySinceMs(seen, name, pod),
      ...(health !== "healthy" && defragmentingOf(seen, name, pod)),
    };
  });
}

/**
 * Whether another member responds from its pod: a container that restarts in its pod passes no guard, and runs on
 * whatever data is in its volume by then.
 */
export function isDuplicate({ etcd, pod }: Pick<MemberSeen, "etcd" | "pod">): boolean {
  const { otherClusterId, otherMemberId } = pod?.answer ?? {};
  return otherClusterId !== undefined || (otherMemberId !== undefined && otherMemberId !== etcd?.id);
}

/** The list of members: as the majority knows it, else as one member knows it, else as we last wrote it down. */
export function listedMembers(seen: Observation): readonly EtcdMember[] {
  if (seen.membership.kind !== "unknown") return seen.membership.members;
  return (seen.cluster.status?.memberStatus ?? []).flatMap(({ name, id, role }) => {
    if (!id) return [];
    const { peerUrl } = memberAddresses(seen.cluster, name);
    return [{ id, name, peerUrls: [peerUrl], isLearner: role === "Learner" }];
  });
}

/** Two lists of the same members, with the same votes, have the same. */
export function idsOf(members: readonly EtcdMember[]): string {
  return members
    .map(({ id, isLearner }) => `${id} ${isLearner}`)
    .sort()
    .join();
}

/**
 * A member has the name of its pod. The URL that it was added with has that name, where it is one of ours: one that has
 * not started yet has no name, and one that runs in place of another, on its volume, has taken the other's.
 */
export function nameOf({ name, peerUrls }: Pick<EtcdMember, "name" | "peerUrls">): string {
  const [, host = "", service] = /^https?:\/\/([^.:/]+)(?:\.([^.:/]+)\.)?/.exec(peerUrls[0] ?? "") ?? [];
  const isOurs = service !== undefined && host.startsWith(memberName(service, ""));
  return isOurs ? host : name || host;
}

/** Members of ours are reached through the headless Service, whatever the scheme and the domain. */
function isExternal(member: EtcdMember, { cluster }: Observation): boolean {
  const ours = `://${nameOf(member)}.${peerServiceName(cluster.metadata.name)}.`;
  return !member.peerUrls.some((url) => url.includes(ours));
}

/** The leader according to most of those that responded; undefined when none knows one. */
function leaderIdOf({ pods }: Observation): string | undefined {
  const votes = new Map<string, number>();
  for (const { answer } of pods) {
    const leader = answer.status?.leaderId;
    if (leader !== undefined) votes.set(leader, (votes.get(leader) ?? 0) + 1);
  }
  return [...votes].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/**
 * Our own record, unless it is outdated: the pod has been ready since, when no operator ran that could see the member
 * recover; or it was deleted since, or was given something else, with which the member has its full time again.
 */
function notHealthySinceMs(seen: Observation, name: string, pod: PodSeen | undefined): number {
  const { cluster, nowMs } = seen;
  const noted = cluster.status?.memberStatus?.find((member) => member.name === name);
  if (noted?.notHealthySince === undefined || isGivenAnew(pod, noted.podHash, seen)) return nowMs;
  // A member that was only declared is not waited for before its pod is created.
  const madeMs = noted.podHash === undefined ? pod?.createdAtMs : undefined;
  const notedMs = Date.parse(noted.notHealthySince);
  // From before our clock was set back: it counts from now on.
  if (notedMs > nowMs) return nowMs;
  // The clock of a node may be ahead of ours; a time in the future shows nothing of the past.
  const told = [madeMs, pod && notReadySinceMs(pod), pod && toldToGoMs(pod), pod?.etcdStartedAtMs].filter(
    (time) => time !== undefined && time <= nowMs,
  );
  return Math.max(notedMs, ...told.filter((time) => time !== undefined));
}

/** Kubernetes waits so long for a silent node before it marks the pods there: the member may have served until then. */
const NODE_GRACE_MS = 50_000;

function notReadySinceMs({ notReadySinceMs: sinceMs, isMarkedNotReady }: PodSeen): number | undefined {
  return sinceMs === undefined || !isMarkedNotReady ? sinceMs : sinceMs - NODE_GRACE_MS;
}

/** An eviction from a node that is lost only repeats that the member is away. */
function toldToGoMs({ deletedAtMs, isEvictedFromNode }: PodSeen): number | undefined {
  return isEvictedFromNode ? undefined : deletedAtMs;
}

/** By its metrics now, or by our own note; a pod that is another has not been defragmented. */
function defragmentingOf(
  { cluster, nowMs }: Observation,
  name: string,
  pod: PodSeen | undefined,
): Pick<MemberSeen, "defragmenting"> {
  const noted = cluster.status?.memberStatus?.find((member) => member.name === name)?.defragmenting;
  const isNow = pod?.answer.isDefragmenting === true;
  if (!pod || (!isNow && !noted)) return {};
  const sinceMs = noted ? Math.min(nowMs, Date.parse(noted.since)) : nowMs;
  const untilMs = isNow ? nowMs : Math.min(nowMs, Date.parse(noted?.until ?? ""));
  return { defragmenting: { sinceMs, untilMs } };
}

function isGivenAnew(pod: PodSeen | undefined, noted: string | undefined, seen: Observation): boolean {
  return pod !== undefined && !pod.isTerminating && noted !== undefined && noted !== givenHash(pod, seen);
}
