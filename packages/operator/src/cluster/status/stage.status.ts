import { formatVersion, isSameRelease } from "@etcd-operator/etcd-client";
import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { type ClusterState, healthyCount } from "../model/cluster-state.ts";
import { namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { hasYetToServe } from "../model/replacement.ts";
import { isStarted, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { writeDisruptionBudget, writeServices } from "../objects/write-objects.rule.ts";
import type { ConditionReason } from "../reasons.ts";
import { isNewcomer, isRefilling, whileJoining, whileReattaching } from "../restore/recovering.status.ts";
import { whileRestoring } from "../restore/while-restoring.status.ts";
import { isSettled, outdatedVoters } from "../rollout/outdated.rule.ts";
import { patchMetadata } from "../rollout/patch-metadata.rule.ts";
import { reportedVersion, versionStep } from "../rollout/version-step.rule.ts";
import { alignClaims, labelClaims } from "../storage/align-claims.rule.ts";
import { expandClaims } from "../storage/expand-claims.rule.ts";
import { alarmRaised } from "./alarms.status.ts";
import { whyBlind } from "./blind.status.ts";
import { haltedMembers, isRefused, sufferingMembers } from "./degraded.status.ts";

/**
 * Whether a cluster is as its spec says (`there`), on its way to it (`underway`), held up by what may pass by itself or
 * by `spec.paused` (`waiting`), or held up until a person changes something (`stalled`). `unseen`: no member can be
 * asked.
 */
type Course = "there" | "underway" | "waiting" | "stalled" | "unseen";

/** What keeps a cluster from being as its spec says; of several things the most serious. */
export interface Stage {
  /** One word for the column STATUS. */
  readonly state: NonNullable<EtcdClusterStatus["state"]>;
  readonly course: Course;
  readonly reason: StageReason;
  readonly message: string;
}

const ROLLING = "RollingOut" satisfies StageReason;

type StageReason = ConditionReason<"Ready">;

/**
 * Where a cluster stands between what it is and what its spec asks for. From this come the conditions that tools wait
 * for.
 */
export function stageOf(state: ClusterState): Stage {
  return notLiving(state) ?? notServing(state) ?? notFollowing(state) ?? differing(state) ?? asSpecified(state);
}

/** There is no cluster to report, or not yet. */
function notLiving(state: ClusterState): Stage | undefined {
  const { now, phase, isMajorityLost } = state;
  if (now.seen.cluster.metadata.deletionTimestamp !== undefined)
    return { state: "Deleting", course: "underway", reason: "Deleting", message: "The cluster is being deleted" };
  const restoring = whileRestoring(state) ?? whileJoining(state);
  if (restoring) return { state: "Restoring", course: "underway", reason: "Restoring", message: restoring };
  if (isMajorityLost) {
    const message = `${healthyCount(state)}, and the data of a majority is lost`;
    return { state: "Failed", course: "stalled", reason: "MajorityLost", message };
  }
  if (phase === "Failed") return { ...invalid(state), state: "Failed" };
  const reattaching = whileReattaching(state);
  if (reattaching) return { state: "Recovering", course: "underway", reason: "Reattaching", message: reattaching };
  if (phase !== "Creating") return undefined;
  const refused = refusal(state);
  return refused ? { ...refused, state: "Creating" } : { state: "Creating", ...creating(state) };
}

function creating({ now, ready }: ClusterState): Omit<Stage, "state"> {
  const message = `Creating the cluster: ${ready.length} of ${now.spec.size} members serve clients`;
  return { course: now.spec.paused ? "waiting" : "underway", reason: "Creating", message };
}

/** Clients cannot use it, or not fully. */
function notServing(state: ClusterState): Stage | undefined {
  const { hasQuorum, ready } = state;
  const blind = hasQuorum ? undefined : whyBlind(state);
  if (blind) return { state: "Unknown", course: "unseen", reason: "MembersUnreachable", message: blind };
  if (!hasQuorum) return { state: "NoQuorum", course: "waiting", reason: "NoQuorum", message: healthyCount(state) };
  const [corrupt] = alarmRaised("corrupt", state);
  if (corrupt) return { state: "Corrupt", course: "stalled", reason: "CorruptAlarm", message: corrupt.message };
  const [noSpace] = alarmRaised("no-space", state);
  if (noSpace) return { state: "ReadOnly", course: "stalled", reason: "NoSpaceAlarm", message: noSpace.message };
  if (ready.length > 0) return undefined;
  const message = `${healthyCount(state)}, but no pod is ready for clients`;
  return { state: "Unavailable", course: "waiting", reason: "NoReadyMember", message };
}

/** It runs, and its spec is not followed, or not further. */
function notFollowing(state: ClusterState): Stage | undefined {
  const { now } = state;
  if (now.seen.problems.length > 0) return invalid(state);
  if (now.spec.paused) return paused(state);
  const halted = haltedMembers(state);
  if (halted.length > 0) {
    const message = `Rollout halted: fix or revert the change of the spec; it concerns ${listOf(halted)}`;
    return { state: "Degraded", course: "stalled", reason: "RolloutHalted", message };
  }
  return refusal(state);
}

function invalid({ now }: ClusterState): Stage {
  const message = `The spec is invalid and not applied. Fix it: ${now.seen.problems.join("; ")}`;
  return { state: "Degraded", course: "stalled", reason: "InvalidSpec", message };
}

function paused(state: ClusterState): Stage {
  const difference = differing(state);
  if (!difference) return { ...asSpecified(state), state: "Paused" };
  const message = `spec.paused is set; when it is removed: ${difference.message}`;
  return { state: "Paused", course: "waiting", reason: "Paused", message };
}

function refusal({ now, action }: ClusterState): Stage | undefined {
  const step = versionStep(now);
  if (step.kind === "refused")
    return {
      state: "Degraded",
      course: "stalled",
      reason: "VersionRefused",
      message: `spec.version '${now.spec.version}': ${step.why}`,
    };
  if (!isRefused(action)) return undefined;
  return { state: "Degraded", course: "stalled", reason: "ChangeRefused", message: action.message };
}

/** It follows its spec and is not there yet. */
function differing(state: ClusterState): Stage | undefined {
  return notWell(state) ?? scaling(state) ?? rolling(state) ?? joining(state) ?? updating(state);
}

/** One is missing, or was and is on its way back; not one that is down for a change. */
function notWell(state: ClusterState): Stage | undefined {
  const { now, voters } = state;
  const suffering = sufferingMembers(state);
  if (suffering.length > 0) {
    const message = step(`Not healthy: ${namesAndWhy(suffering)}`, state);
    return { state: "Degraded", course: "underway", reason: "MemberNotHealthy", message };
  }
  if (isRefilling(state)) {
    const serving = voters.filter(isSettled).length;
    const message = step(`Replacing a lost member: ${serving} of ${now.spec.size} members serve`, state);
    return { state: "Recovering", course: "underway", reason: "MemberMissing", message };
  }
  const returning = unsettledVoters(state).filter((member) => !isNewcomer(member, state.old));
  if (returning.length === 0 || isRolling(state)) return undefined;
  const message = step(`Waiting for ${namesAndWhy(returning)}`, state);
  return { state: "Recovering", course: "underway", reason: "MemberNotHealthy", message };
}

function scaling(state: ClusterState): Stage | undefined {
  const { now, voters } = state;
  const { size } = now.spec;
  const isSurge = voters.length === size + 1 && isRolling(state);
  if (voters.length === size || isSurge) return undefined;
  const message = step(`Scaling: ${voters.length} of ${size} members`, state);
  return { state: "Scaling", course: "underway", reason: "Scaling", message };
}

function rolling(state: ClusterState): Stage | undefined {
  if (!isRolling(state)) return undefined;
  const { now } = state;
  const { size } = now.spec;
  const done = now.voters.filter((member) => isAsSpecified(member, now)).length;
  const column = `Rolling ${Math.min(done, size)}/${size}`;
  return { state: column, course: "underway", reason: "RollingOut", message: step(column, state) };
}

/**
 * Also while the last one to be changed has yet to come back, and only the last status shows what it is away
 * for.
 */
function isRolling(state: ClusterState): boolean {
  const { now, old } = state;
  const unsettled = unsettledVoters(state);
  if (outdatedVoters(now).length > 0 || unsettled.some((member) => hasYetToServe(member, now))) return true;
  if (now.voters.some((voter) => !hasVersion(voter, now))) return true;
  return unsettled.length > 0 && conditionOf(old.conditions, "Progressing")?.reason === ROLLING;
}

function joining(state: ClusterState): Stage | undefined {
  const isJoining = (member: ListedMember) =>
    member.etcd.isLearner || !isStarted(member) || isNewcomer(member, state.old);
  const joiners = state.now.listed.filter(isJoining);
  if (joiners.length === 0) return undefined;
  const message = step(`Waiting until ${listOf(joiners.map(({ name }) => name))} serves`, state);
  return { state: "Scaling", course: "underway", reason: "MemberJoining", message };
}

/** Where a change concerns only Kubernetes objects; what this reconcile has written is no difference any more. */
function updating({ now, action, outcome }: ClusterState): Stage | undefined {
  const rules: readonly Rule[] = [
    writeServices,
    writeDisruptionBudget,
    labelClaims,
    alignClaims,
    expandClaims,
    patchMetadata,
  ];
  const pending = rules.flatMap((rule) => rule(now) ?? []);
  const next = pending.find(
    ({ kind, reason }) => outcome.kind === "postponed" || kind !== action.kind || reason !== action.reason,
  );
  if (!next) return undefined;
  return { state: "Updating", course: "underway", reason: "Updating", message: next.message };
}

function asSpecified({ now }: ClusterState): Stage {
  const message = `${now.voters.length} of ${now.spec.size} members serve clients and match the spec`;
  return { state: "Ready", course: "there", reason: "AsSpecified", message };
}

function unsettledVoters({ voters }: ClusterState): readonly MemberSeen[] {
  return voters.filter((member) => !isSettled(member));
}

function isAsSpecified(member: ListedMember, now: Situation): boolean {
  return isSettled(member) && hasVersion(member, now) && !outdatedVoters(now).some(({ name }) => name === member.name);
}

/** Also of one that does not respond: its absence is reported otherwise. */
function hasVersion(member: ListedMember, now: Situation): boolean {
  const version = reportedVersion(member, now);
  return version === undefined || isSameRelease(formatVersion(version), now.spec.version);
}

/** What is being done at this moment, and why it has to wait. */
function step(headline: string, { action, outcome }: ClusterState): string {
  const isWait = action.kind === "hold" && action.reason === "RolloutWaiting";
  if (!STEPS.has(action.kind) && !isWait) return headline;
  return [headline, action.message, ...(outcome.kind === "postponed" ? [outcome.why] : [])].join("; ");
}

/** What is done to a member; all else is done between two of these, and would only hide them. */
const STEPS: ReadonlySet<string> = new Set([
  "restart-member",
  "move-leader",
  "declare-join",
  "add-member",
  "promote-member",
  "remove-member",
  "set-downgrade",
  "force-snapshot",
  "create-backup",
]);
