import { formatVersion, isSameRelease } from "@etcd-operator/etcd-client";
import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import { hasYetToServe } from "../model/replacement.ts";
import { isStarted, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { healthyCount, type Standing } from "../model/standing.ts";
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
 * Whether a cluster is as its spec says (`there`), on its way to it (`underway`), held up by what may pass by itself or by
 * `spec.paused` (`waiting`), or held up until a person changes something (`stalled`). `unseen`: no member can be asked.
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

/** Where a cluster stands between what it is and what its spec asks for. From this come the conditions that tools wait for. */
export function stageOf(standing: Standing): Stage {
  return (
    notLiving(standing) ??
    notServing(standing) ??
    notFollowing(standing) ??
    differing(standing) ??
    asSpecified(standing)
  );
}

/** There is no cluster to speak of, or not yet. */
function notLiving(standing: Standing): Stage | undefined {
  const { now, phase, isMajorityLost } = standing;
  if (now.seen.cluster.metadata.deletionTimestamp !== undefined)
    return { state: "Deleting", course: "underway", reason: "Deleting", message: "The cluster is being deleted" };
  const restoring = whileRestoring(standing) ?? whileJoining(standing);
  if (restoring) return { state: "Restoring", course: "underway", reason: "Restoring", message: restoring };
  if (isMajorityLost) {
    const message = `${healthyCount(standing)}, and the data of a majority is gone`;
    return { state: "Failed", course: "stalled", reason: "MajorityLost", message };
  }
  if (phase === "Failed") return { ...invalid(standing), state: "Failed" };
  const reattaching = whileReattaching(standing);
  if (reattaching) return { state: "Recovering", course: "underway", reason: "Reattaching", message: reattaching };
  if (phase !== "Creating") return undefined;
  const refused = refusal(standing);
  return refused ? { ...refused, state: "Creating" } : { state: "Creating", ...creating(standing) };
}

function creating({ now, ready }: Standing): Omit<Stage, "state"> {
  const message = `Creating the cluster: ${ready.length} of ${now.spec.size} members serve clients`;
  return { course: now.spec.paused ? "waiting" : "underway", reason: "Creating", message };
}

/** Clients cannot use it, or not fully. */
function notServing(standing: Standing): Stage | undefined {
  const { hasQuorum, ready } = standing;
  const blind = hasQuorum ? undefined : whyBlind(standing);
  if (blind) return { state: "Unknown", course: "unseen", reason: "MembersUnreachable", message: blind };
  if (!hasQuorum) return { state: "NoQuorum", course: "waiting", reason: "NoQuorum", message: healthyCount(standing) };
  const [corrupt] = alarmRaised("corrupt", standing);
  if (corrupt) return { state: "Corrupt", course: "stalled", reason: "CorruptAlarm", message: corrupt.message };
  const [noSpace] = alarmRaised("no-space", standing);
  if (noSpace) return { state: "ReadOnly", course: "stalled", reason: "NoSpaceAlarm", message: noSpace.message };
  if (ready.length > 0) return undefined;
  const message = `${healthyCount(standing)}, but no pod is ready for clients`;
  return { state: "Unavailable", course: "waiting", reason: "NoReadyMember", message };
}

/** It runs, and its spec is not followed, or not further. */
function notFollowing(standing: Standing): Stage | undefined {
  const { now } = standing;
  if (now.seen.problems.length > 0) return invalid(standing);
  if (now.spec.paused) return paused(standing);
  const halted = haltedMembers(standing);
  if (halted.length > 0) {
    const message = `Rollout halted: fix or revert the change of the spec; it concerns ${listOf(halted)}`;
    return { state: "Degraded", course: "stalled", reason: "RolloutHalted", message };
  }
  return refusal(standing);
}

function invalid({ now }: Standing): Stage {
  const message = `Correct the spec; nothing of it is followed: ${now.seen.problems.join("; ")}`;
  return { state: "Degraded", course: "stalled", reason: "InvalidSpec", message };
}

function paused(standing: Standing): Stage {
  const difference = differing(standing);
  if (!difference) return { ...asSpecified(standing), state: "Paused" };
  const message = `spec.paused is set; when it is removed: ${difference.message}`;
  return { state: "Paused", course: "waiting", reason: "Paused", message };
}

function refusal({ now, action }: Standing): Stage | undefined {
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
function differing(standing: Standing): Stage | undefined {
  return notWell(standing) ?? scaling(standing) ?? rolling(standing) ?? joining(standing) ?? updating(standing);
}

/** One is missing, or was and is on its way back; not one that is down for a change. */
function notWell(standing: Standing): Stage | undefined {
  const { now, voters } = standing;
  const suffering = sufferingMembers(standing);
  if (suffering.length > 0) {
    const message = step(`Not healthy: ${namesAndWhy(suffering)}`, standing);
    return { state: "Degraded", course: "underway", reason: "MemberNotHealthy", message };
  }
  if (isRefilling(standing)) {
    const serving = voters.filter(isSettled).length;
    const message = step(`Replacing a lost member: ${serving} of ${now.spec.size} members serve`, standing);
    return { state: "Recovering", course: "underway", reason: "MemberMissing", message };
  }
  const returning = unsettledVoters(standing).filter((member) => !isNewcomer(member, standing.old));
  if (returning.length === 0 || isRolling(standing)) return undefined;
  const message = step(`Waiting for ${namesAndWhy(returning)}`, standing);
  return { state: "Recovering", course: "underway", reason: "MemberNotHealthy", message };
}

function scaling(standing: Standing): Stage | undefined {
  const { now, voters } = standing;
  const { size } = now.spec;
  const isSurge = voters.length === size + 1 && isRolling(standing);
  if (voters.length === size || isSurge) return undefined;
  const message = step(`Scaling: ${voters.length} of ${size} members are there`, standing);
  return { state: "Scaling", course: "underway", reason: "Scaling", message };
}

function rolling(standing: Standing): Stage | undefined {
  if (!isRolling(standing)) return undefined;
  const { now } = standing;
  const { size } = now.spec;
  const done = now.voters.filter((member) => isAsSpecified(member, now)).length;
  const state = `Rolling ${Math.min(done, size)}/${size}`;
  return { state, course: "underway", reason: "RollingOut", message: step(state, standing) };
}

/** Also while the last one to be changed has yet to come back, and nothing but the last status tells what it is away for. */
function isRolling(standing: Standing): boolean {
  const { now, old } = standing;
  const unsettled = unsettledVoters(standing);
  if (outdatedVoters(now).length > 0 || unsettled.some((member) => hasYetToServe(member, now))) return true;
  if (now.voters.some((voter) => !hasVersion(voter, now))) return true;
  return unsettled.length > 0 && conditionOf(old.conditions, "Progressing")?.reason === ROLLING;
}

function joining(standing: Standing): Stage | undefined {
  const isJoining = (member: ListedMember) =>
    member.etcd.isLearner || !isStarted(member) || isNewcomer(member, standing.old);
  const joiners = standing.now.listed.filter(isJoining);
  if (joiners.length === 0) return undefined;
  const message = step(`Waiting until ${listOf(joiners.map(({ name }) => name))} serves`, standing);
  return { state: "Scaling", course: "underway", reason: "MemberJoining", message };
}

/** Where Kubernetes alone has to be told of a change; what this reconcile has written is no difference any more. */
function updating({ now, action, outcome }: Standing): Stage | undefined {
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

function asSpecified({ now }: Standing): Stage {
  const message = `${now.voters.length} of ${now.spec.size} members serve clients and match the spec`;
  return { state: "Ready", course: "there", reason: "AsSpecified", message };
}

function unsettledVoters({ voters }: Standing): readonly MemberSeen[] {
  return voters.filter((member) => !isSettled(member));
}

function isAsSpecified(member: ListedMember, now: Situation): boolean {
  return isSettled(member) && hasVersion(member, now) && !outdatedVoters(now).some(({ name }) => name === member.name);
}

/** Also of one that has not been heard of: that it is away is told by other means. */
function hasVersion(member: ListedMember, now: Situation): boolean {
  const version = reportedVersion(member, now);
  return version === undefined || isSameRelease(formatVersion(version), now.spec.version);
}

/** What is being done at this moment, and why it has to wait. */
function step(headline: string, { action, outcome }: Standing): string {
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
  "turn-over-log",
  "create-backup",
]);
