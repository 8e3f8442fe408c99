import { defined, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import { losesVolume } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { Health } from "../model/observation.ts";
import type { Situation } from "../model/situation.ts";
import { givenHash, podHash } from "../objects/pod/pod-hash.ts";
import { isSettled, outdatedVoters } from "../rollout/outdated.rule.ts";
import { isNearLimit } from "../storage/database-room.rule.ts";

export type MemberStatus = NonNullable<EtcdClusterStatus["memberStatus"]>[number];

/** What the schema allows, for a cluster of at most seven. */
export const MOST_MEMBERS = 16;
const LONGEST_NAME = 63;
const LONGEST_VERSION = 32;

const HEALTH: Readonly<Record<Health, MemberStatus["health"]>> = {
  healthy: "Healthy",
  unhealthy: "Unhealthy",
  unknown: "Unknown",
};

/** Every member by name: those in etcd's list, and those on their way into it. */
export function memberStatusOf({ now }: Pick<ClusterState, "now">): MemberStatus[] {
  const isRecorded = Boolean(now.status.clusterID);
  const known = isRecorded ? (now.status.memberStatus ?? []) : [];
  const current = now.members.filter((member) => isMember(member, now.isConfirmed));
  const outdated = new Set(membersToRoll(now));
  const entries = [
    ...current.map((member) => ({ ...entryOf(member, known, now), ...outdatedOf(member, known, outdated, now) })),
    ...(now.isConfirmed ? [] : known.filter(({ id, name }) => id && !current.some((member) => member.name === name))),
  ];
  // A list that was cut short should lack the ones that matter least.
  const byWeight = entries.sort((a, b) => Number(Boolean(b.id)) - Number(Boolean(a.id)));
  return byWeight.slice(0, MOST_MEMBERS).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Until a majority confirms the members, every pod may be one, and every previous member still is one. */
function isMember({ etcd, intent, pod }: MemberSeen, isConfirmed: boolean): boolean {
  return etcd !== undefined || intent !== undefined || (pod !== undefined && !isConfirmed);
}

/**
 * Of one that does not answer we keep its last report. Entries with an id are what the next reconcile takes for the
 * list of members if it cannot ask: so only members have one, and only those of the recorded cluster.
 */
function entryOf(member: MemberSeen, knownOnes: readonly MemberStatus[], now: Situation): MemberStatus {
  const { name, etcd, health, pod, notHealthySinceMs } = member;
  const known = knownOnes.find((each) => each.name === name);
  const answered = pod?.answer.status;
  return defined<MemberStatus>({
    name: name.slice(0, LONGEST_NAME),
    id: now.status.clusterID ? etcd?.id : undefined,
    role: roleOf(member),
    version: (answered?.version ?? known?.version)?.slice(0, LONGEST_VERSION),
    health: HEALTH[health],
    notHealthySince: notHealthySinceMs === undefined ? undefined : rfc3339(notHealthySinceMs),
    defragmenting: defragmentingOf(member, known),
    claimDeleted: losesVolume(member) || undefined,
    podHash: pod && !pod.isTerminating ? givenHash(pod, now.seen) : known?.podHash,
    servedPodHash: pod && isSettled(member) ? podHash(pod) : known?.servedPodHash,
    databaseSizeBytes: answered?.databaseSizeBytes ?? known?.databaseSizeBytes,
    nearLimit: isNearLimit(member, known?.nearLimit === true, now) || undefined,
    revision: answered?.revision ?? known?.revision,
  });
}

/**
 * Those that a roll is about. A spec that is not followed now asks nothing of them; one whose volume is deleted is
 * replaced for that.
 */
function membersToRoll(now: Situation): string[] {
  if (now.spec.paused || now.seen.problems.length > 0) return [];
  return outdatedVoters(now).flatMap((voter) => (losesVolume(voter) ? [] : [voter.name]));
}

/** A changed member is done when it serves with the change. */
function outdatedOf(
  member: MemberSeen,
  knownOnes: readonly MemberStatus[],
  outdated: ReadonlySet<string>,
  now: Situation,
): Pick<MemberStatus, "outdated"> {
  const was = knownOnes.find(({ name }) => name === member.name)?.outdated === true;
  const isHeld = now.spec.paused === true || now.seen.problems.length > 0;
  return outdated.has(member.name) || (was && (isHeld || !isSettled(member))) ? { outdated: true } : {};
}

/** Written only every so often: it is the start of the time that the member gets afterwards. */
const DEFRAGMENTING_STEP_MS = 10_000;

function defragmentingOf(
  { defragmenting }: MemberSeen,
  known: MemberStatus | undefined,
): MemberStatus["defragmenting"] {
  if (!defragmenting) return undefined;
  const notedMs = Date.parse(known?.defragmenting?.until ?? "");
  const isAboutTheSame = defragmenting.untilMs - notedMs < DEFRAGMENTING_STEP_MS;
  if (known?.defragmenting && isAboutTheSame) return known.defragmenting;
  return { since: rfc3339(defragmenting.sinceMs), until: rfc3339(defragmenting.untilMs) };
}

function roleOf({ etcd, isLeader, pod }: MemberSeen): MemberStatus["role"] {
  if (etcd?.isLearner) return "Learner";
  if (!etcd || pod?.answer.status?.leaderId === undefined) return "Unknown";
  return isLeader ? "Leader" : "Follower";
}
