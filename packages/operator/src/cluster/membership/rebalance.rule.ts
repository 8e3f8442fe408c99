import { LASTING } from "../model/lasting.ts";
import { isStarted, type ListedMember, type Situation } from "../model/situation.ts";
import type { Elsewhere } from "../objects/pod/placement.ts";
import { activeRestore } from "../restore/restoring.rule.ts";
import { isSettled, outdatedVoters } from "../rollout/outdated.rule.ts";
import { versionStep } from "../rollout/version-step.rule.ts";
import { clusterFacts } from "../rollout/versions.rule.ts";
import { hasTlsDefects } from "../tls/tls-step.rule.ts";
import { crowdOf, roomyZones } from "./spread.rule.ts";

/** Nothing is moved right after a disturbance. */
const CALM_MS = 600_000;
const MOST_DOUBLINGS = 7;
/** For longer than this the scheduler finds no node at once. */
const UNSCHEDULABLE_MS = 60_000;
/** A pod on a node that cannot run it, for lack of an image for example. */
const TROUBLE_MS = 300_000;

/** How long all must have been well before a member moves: twice as long after each member that came for it in vain. */
export function calmNeededMs(attempts: number): number {
  return CALM_MS * 2 ** Math.min(attempts, MOST_DOUBLINGS);
}

/** Whether members could be spread better, and the user allows the operator to move them. */
export function isToBeSpread(now: Pick<Situation, "spec" | "voters" | "seen">): boolean {
  return now.spec.rebalance === "Automatic" && crowdOf(now) !== undefined;
}

/** Whether all is as the spec says and nothing is under way. */
export function isCalm(now: Situation): boolean {
  const { spec, voters, listed, intents, seen, status, isConfirmed } = now;
  const isComplete = isConfirmed && voters.length === spec.size && listed.length === spec.size && intents.length === 0;
  const isQuiet = seen.problems.length === 0 && seen.alarms.length === 0 && spec.paused !== true;
  if (!isComplete || !isQuiet || activeRestore(status) || hasTlsDefects(now.seen)) return false;
  return voters.every(isSettled) && versionStep(now).kind === "none" && outdatedVoters(now).length === 0;
}

/** Whether there is to be one member more, so that one of those that share a node or a zone can go. */
export function isBeingSpread(now: Situation): boolean {
  if (!isToBeSpread(now)) return false;
  const coming = now.members.filter((member) => isComing(member, now));
  if (coming.length > 0) return !coming.some((member) => isInVain(member, now));
  return whyNotMoved(now) === undefined;
}

/** Why no member moves from a crowded node or zone now. */
export function whyNotMoved(now: Situation): string | undefined {
  const { spec, seen } = now;
  if (spec.rebalance !== "Automatic") return "set spec.rebalance to Automatic to move members";
  if (!clusterFacts(now).hasLearners) return "members are not moved because etcd before 3.4 has no learners";
  const keepsClaims = spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain";
  if (spec.pod?.persistentVolumeClaimSpec && keepsClaims) {
    return "members are not moved because persistentVolumeClaimRetentionPolicy.whenScaled is Retain: their PVCs would be left over";
  }
  if (!isCalm(now)) return "members are moved when all are healthy and no other change is in progress";
  const neededMs = calmNeededMs(seen.spread?.attempts ?? 0);
  if (seen.seenFor.ms(LASTING.calm) < neededMs) {
    return `a member is moved when all have been healthy for ${Math.round(neededMs / 60_000)} min`;
  }
  return whyNowhere(now);
}

/** For how much longer all must be well; undefined when that is not what is waited for. */
export function untilMovedMs(now: Situation): number | undefined {
  if (!isToBeSpread(now) || !isCalm(now)) return undefined;
  return calmNeededMs(now.seen.spread?.attempts ?? 0) - now.seen.seenFor.ms(LASTING.calm);
}

/** Where a member that comes for this may go; undefined for any other. */
export function elsewhere(now: Situation): Elsewhere | undefined {
  const isFull = now.voters.filter(isStarted).length === now.spec.size;
  if (!isFull || outdatedVoters(now).length > 0 || !isBeingSpread(now)) return undefined;
  const zones = zonesToReach(now);
  return { apartFrom: nodesOfVoters(now), ...(zones && { zones }) };
}

/** One of them a member has to reach to relieve a crowded zone; undefined where any will do. */
function zonesToReach(now: Situation): readonly string[] | undefined {
  return crowdOf(now)?.kind === "zone" ? roomyZones(now) : undefined;
}

function whyNowhere(now: Situation): string | undefined {
  const { spread } = now.seen;
  if (!spread?.nodes) return spread?.why ?? "the nodes have not been read yet";
  if (spread.isBackupRunning) return "a member is moved when no EtcdBackup of this namespace is running";
  const taken = new Set(nodesOfVoters(now));
  const zones = zonesToReach(now);
  const isFree = spread.nodes.some(
    ({ name, zone, isUsable }) => isUsable && !taken.has(name) && (!zones || zones.includes(zone ?? "")),
  );
  if (isFree) return undefined;
  return `no other node${zones ? ` of zone ${zones.join(" or ")}` : ""} can take a member: add one, or uncordon one`;
}

function nodesOfVoters({ voters }: Situation): readonly string[] {
  return [...new Set(voters.flatMap(({ pod }) => pod?.nodeName ?? []))].sort();
}

/** Declared, or added, and no voter yet. */
function isComing({ name, etcd }: Situation["members"][number], { intents }: Situation): boolean {
  return etcd ? etcd.isLearner || etcd.name === "" : intents.some((intent) => intent.name === name);
}

/** It would not make things better, or will not come. */
function isInVain({ pod }: Pick<ListedMember, "pod">, now: Situation): boolean {
  if (!pod) return false;
  const { nowMs } = now.seen;
  const isBesideAnother = pod.nodeName !== undefined && nodesOfVoters(now).includes(pod.nodeName);
  const zone = now.seen.nodes?.find(({ name }) => name === pod.nodeName)?.zone;
  const isInFullZone = zone !== undefined && zonesToReach(now)?.includes(zone) === false;
  const hasNoNode = pod.unschedulableSinceMs !== undefined && nowMs - pod.unschedulableSinceMs >= UNSCHEDULABLE_MS;
  const isInTrouble = pod.trouble !== undefined && nowMs - pod.createdAtMs >= TROUBLE_MS;
  return isBesideAnother || isInFullZone || hasNoNode || isInTrouble;
}
