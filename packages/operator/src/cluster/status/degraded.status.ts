import { clientServiceName, disruptionBudgetName, peerServiceName } from "../../api/cluster/cluster-names.ts";
import { inBytes } from "../../api/cluster/quota-fits.ts";
import { REFUSALS } from "../conditions.ts";
import type { Action } from "../model/action.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import { hasJoined, hasUsableClaim, isExpected, losesVolume, namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { Observation, PodSeen } from "../model/observation.ts";
import { hasYetToServe, isLate } from "../model/replacement.ts";
import { listOf, type Situation } from "../model/situation.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { isRefilling } from "../restore/recovering.status.ts";
import { isSettled, outdatedVoters } from "../rollout/outdated.rule.ts";
import { databaseLimitOf, isNearLimit } from "../storage/database-room.rule.ts";
import { tlsDefects } from "../tls/tls-step.rule.ts";
import { alarmRaised, type Finding } from "./alarms.status.ts";

type Verdict = ClusterVerdict<"Degraded">;

const REFUSAL: ReadonlySet<string> = new Set(REFUSALS);

/** Whether an action is a refusal that stands until a person changes something. A write that failed is tried again. */
export function isRefused({ reason }: Action): boolean {
  return isRefusal(reason);
}

function isRefusal(reason: Action["reason"]): reason is (typeof REFUSALS)[number] {
  return REFUSAL.has(reason);
}

/** Whether there is a problem. */
export function degraded(state: ClusterState): Verdict {
  const findings = findingsOf(state);
  const [worst] = findings;
  if (!worst) return { isTrue: false, reason: "NoProblems", message: "No problems detected" };
  return { isTrue: true, reason: worst.reason, message: findings.map(({ message }) => message).join(". ") };
}

// The most serious first: wrong data, then no writes, then members at risk, then what only keeps us from going on.
function findingsOf(state: ClusterState): Finding[] {
  const { now, action } = state;
  const { seen } = now;
  const suffering = sufferingMembers(state);
  return [
    ...alarmRaised("corrupt", state),
    ...found("DataRefused", refusals(seen), "The guard refused the data of"),
    ...found("VolumeFull", fullVolumes(seen), VOLUME_FULL),
    ...found("ClaimDeleted", claimsDeleted(now), CLAIM_DELETED),
    ...alarmRaised("no-space", state),
    ...found("RolloutHalted", haltedMembers(state), ROLL_HALTED),
    ...found("MemberNotHealthy", suffering.length > 0 ? [namesAndWhy(suffering)] : [], "Not healthy:"),
    ...found("MemberMissing", isRefilling(state) ? [missing(state)] : [], "A lost member is being replaced:"),
    ...found(
      "CertificatesUnusable",
      tlsDefects(seen),
      "TLS certificates are unusable; members cannot be started or restarted:",
    ),
    ...found("InvalidSpec", problems(seen), "The spec is invalid and not applied. Fix it:"),
    ...whatHolds(action),
    ...found("ActionStalled", stalls(seen), "Actions without effect, retried with increasing delay:"),
    ...found("CertificateExpiring", seen.tls?.expiring ?? [], "Certificates to be renewed:"),
    ...found("DatabaseNearLimit", nearLimits(state), NEAR_LIMIT),
    ...found("PodsCannotRun", [...troubles(state, suffering), ...unbound(now)], "Pods that cannot run:"),
    ...found("ForeignObjects", foreignObjects(seen), "Name conflict with objects not owned by this cluster:"),
    ...found("ForeignPods", [...seen.strangers.foreignPods, ...strayOrphans(state)], FOREIGN_PODS),
  ];
}

function missing({ now, voters }: ClusterState): string {
  return `${voters.filter(isSettled).length} of ${now.spec.size} members serve`;
}

/** Those that are not taken over, though their cluster is this one. */
function strayOrphans({ now, action }: ClusterState): string[] {
  const isTold = action.kind === "take-over" || action.kind === "adopt-orphans" || action.reason === "OrphanedPods";
  return isTold ? [] : (now.seen.orphans ?? []).map(({ name }) => name);
}

const ROLL_HALTED = "Rollout halted: a member did not start with the new spec. Fix or revert the change. Affected:";
const VOLUME_FULL =
  "Enlarge the volume (spec.pod.persistentVolumeClaimSpec.resources.requests.storage, see docs/operations/nospace.md): no space is left on the volume of";
const NEAR_LIMIT =
  "Compact and defragment, delete keys, or raise the limit (docs/operations/nospace.md): at the limit etcd refuses writes, or crashes if the volume is full. More than 80 % used by the database of";
const CLAIM_DELETED =
  "PVCs of running members are being deleted, and their data is lost with their pods. Do not delete these pods; the members are replaced one by one while all are healthy:";
const FOREIGN_PODS = "Foreign pods with this cluster's labels, which may receive its clients' connections:";

/** What an action found that no waiting will change, or a write that failed. */
function whatHolds({ reason, message }: Action): Finding[] {
  return reason === "ActionFailed" || isRefusal(reason) ? [{ reason, message }] : [];
}

function found(reason: Finding["reason"], what: readonly string[], introduction: string): Finding[] {
  return what.length === 0 ? [] : [{ reason, message: `${introduction} ${listOf(what)}` }];
}

/** Those that are not healthy though they have joined, and those that should have joined by now. */
export function sufferingMembers({ voters, now, action }: ClusterState): readonly MemberSeen[] {
  // They run, in pods that are not this cluster's yet.
  if (action.kind === "adopt-orphans" || action.reason === "OrphanedPods") return [];
  const joined = voters.filter((member) => hasJoined(member) && !isOnItsWayBack(member, now));
  const late =
    now.seen.problems.length > 0 ? [] : now.members.filter((member) => isExpected(member) && isLate(member, now));
  const isToldElsewhere = (member: MemberSeen) => member.pod?.refusal !== undefined || isHalted(member, now);
  return [...new Set([...joined, ...late])].filter((member) => member.health !== "healthy" && !isToldElsewhere(member));
}

/** It was restarted for a change, or lost its pod and has its volume: a short absence is no problem. */
function isOnItsWayBack(member: MemberSeen, now: Situation): boolean {
  const { pod, notHealthySinceMs = 0 } = member;
  if (isLate(member, now) || pod?.trouble !== undefined) return false;
  if (pod && hasYetToServe(member, now)) return true;
  return hasUsableClaim(member) && (!pod || pod.isTerminating || pod.createdAtMs >= notHealthySinceMs);
}

/**
 * Members that do not start with their new spec: those that were changed, and those that come in place of
 * others.
 */
export function haltedMembers({ now }: ClusterState): string[] {
  return now.members.filter((member) => isHalted(member, now)).map(({ name, pod }) => `${name} (${pod?.trouble})`);
}

function isHalted(member: MemberSeen, now: Situation): boolean {
  if (member.pod?.trouble === undefined || member.health === "healthy" || member.pod.refusal !== undefined)
    return false;
  if (hasYetToServe(member, now)) return true;
  const isComing = member.etcd !== undefined && !hasJoined(member);
  return isComing && outdatedVoters(now).some((voter) => voter.change.kind === "member" && !losesVolume(voter));
}

function problems({ problems: lines }: Observation): string[] {
  return lines.length === 0 ? [] : [lines.join("; ")];
}

function stalls({ stalled = [] }: Observation): string[] {
  return stalled.flatMap(({ message, came, why }) => (came === "refused" ? [] : [`${message} (${why})`]));
}

function refusals({ pods }: Observation): string[] {
  return pods.flatMap(({ name, refusal }) => (refusal ? [`${name} (${refusal})`] : []));
}

function fullVolumes({ pods }: Observation): string[] {
  return pods.flatMap(({ name, trouble, isReady }) =>
    !isReady && /no space left on device/i.test(trouble ?? "") ? [name] : [],
  );
}

function claimsDeleted({ members }: Situation): string[] {
  return members
    .filter(losesVolume)
    .map(({ name, claim }) => `PersistentVolumeClaim '${claim?.name}' of member ${name}`);
}

/** Those for which an alarm reports that are beyond that. */
function nearLimits({ now, old }: ClusterState): string[] {
  if (now.seen.alarms.some(({ kind }) => kind === "no-space")) return [];
  const wasNear = (name: string) => old.memberStatus?.some((member) => member.name === name && member.nearLimit);
  return now.listed
    .filter((member) => isNearLimit(member, wasNear(member.name) === true, now))
    .map((member) => {
      const { bytes, by } = databaseLimitOf(member, now);
      return `${member.name} (${by === "quota" ? "quota" : "space on its volume"} ${inBytes(bytes)})`;
    });
}

function troubles({ now }: ClusterState, suffering: readonly MemberSeen[]): string[] {
  const known = [...suffering, ...now.members.filter((member) => isHalted(member, now))];
  const isKnown = (name: string) => known.some((member) => member.name === name);
  return now.seen.pods.flatMap((pod) => {
    const { name, trouble, isTerminating } = pod;
    const isTold = isKnown(name) || untilUnplacedMs(pod, now.seen) > 0;
    return trouble && !isTerminating && !isTold ? [`${name} (${trouble})`] : [];
  });
}

/**
 * Of a claim that no storage provisions the scheduler says nothing for ten minutes: it has chosen a node, and waits for
 * the volume there.
 */
function unbound({ seen, members }: Situation): string[] {
  return members.flatMap(({ name, pod, claim }) => {
    const isWaiting = pod && !pod.isScheduled && !pod.isTerminating && pod.trouble === undefined;
    if (!isWaiting || !claim?.isUnbound || seen.nowMs - pod.createdAtMs < BINDING_MS) return [];
    return [
      `${name} (PersistentVolumeClaim '${claim.name}' is not bound: kubectl describe pvc ${claim.name} shows why)`,
    ];
  });
}

/** In most clusters a volume is provisioned in less. */
const BINDING_MS = 15_000;

/**
 * A scheduler that has yet to see the pod's new claim, or its volume, reports that for a moment in many a normal
 * start.
 */
const PLACING_MS = 10_000;

/** How long until a pod counts as one that finds no node; 0 when it does, or when that is not its trouble. */
export function untilUnplacedMs({ unschedulableSinceMs }: PodSeen, { nowMs }: Observation): number {
  return unschedulableSinceMs === undefined ? 0 : Math.max(0, unschedulableSinceMs + PLACING_MS - nowMs);
}

function foreignObjects({ objects, cluster }: Observation): string[] {
  const { name } = cluster.metadata;
  return [
    objects.peerService.kind === "foreign" && `Service '${peerServiceName(name)}'`,
    objects.clientService.kind === "foreign" && `Service '${clientServiceName(name)}'`,
    objects.disruptionBudget.kind === "foreign" && `PodDisruptionBudget '${disruptionBudgetName(name)}'`,
  ].filter((text) => text !== false);
}
