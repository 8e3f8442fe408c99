import { hasFailedBefore, whyNotYet } from "../bootstrap/start-failures.status.ts";
import { isStuck, logIndexOf } from "../membership/stuck-learner.rule.ts";
import type { Action, Removal } from "../model/action.ts";
import { mayReturn } from "../model/member-state.ts";
import { keepsQuorumWithout } from "../model/quorum.ts";
import { isToBeReplaced } from "../model/replacement.ts";
import { isStarted, type ListedMember, type Rule, type Situation, votersOf } from "../model/situation.ts";
import { hasTlsDefects } from "../tls/tls-step.rule.ts";
import { mayHaveRun } from "./resume-join.rule.ts";

/**
 * Removes one member that will not come back; a later reconcile adds another. First those that have no vote, because
 * they cost nothing; a voter only if those that are seen healthy are a majority of what remains. A learner that answers
 * is removed last, and only if etcd never promotes it.
 */
export const removeDeadMember: Rule = (now) => {
  const victim =
    now.listed.find((member) => isGhost(member) || mayHaveRun(member, now)) ??
    now.learners.find((member) => isToBeReplaced(member, now)) ??
    deadVoters(now).find(({ name }) => keepsQuorumWithout(votersOf(now.voters), name)) ??
    now.learners.find((member) => isStuck(member, now));
  return victim && removalOf(victim, now);
};

/** Added, never started, and not declared: the result of a MemberAdd whose answer was lost. */
function isGhost(member: ListedMember): boolean {
  return !isStarted(member) && member.intent === undefined && !member.isExternal;
}

/** Those whose data is gone first: the others might still come back. */
function deadVoters(now: Situation): readonly ListedMember[] {
  const dead = now.voters.filter((member) => isToBeReplaced(member, now));
  return [...dead.filter((member) => !mayReturn(member)), ...dead.filter((member) => mayReturn(member))];
}

function removalOf(victim: ListedMember, now: Situation): Action {
  const because = removalFor(victim, now);
  const why = whyDead(victim, now);
  const message = `Replacing member ${victim.name}: ${why}`;
  const member = { name: victim.name, id: victim.etcd.id };
  const [successor] = now.seen.freshNames;
  const isNext = successor !== undefined && isPlaceLeft(victim, now);
  const hasFailed = !isGhost(victim) && (victim.etcd.isLearner || !isStarted(victim));
  const failed = hasFailed ? { failed: `${victim.name} never joined: ${why}` } : {};
  // It may have been an accident once; after that its successor waits.
  const waits = hasFailed ? hasFailedBefore(now) : whyNotYet(now) !== undefined;
  const successors = isNext && !waits ? { successor } : {};
  const step = { kind: "remove-member", member, because, why, ...failed, ...successors } as const;
  return { ...step, reason: "ReplacingDeadMember", message };
}

function removalFor(victim: ListedMember, now: Situation): Removal {
  if (!isStarted(victim)) return "never-started";
  return victim.etcd.isLearner && !isToBeReplaced(victim, now) ? "stuck-learner" : "dead";
}

/** Whether a successor is needed and possible, and none is starting yet. */
function isPlaceLeft(victim: ListedMember, now: Situation): boolean {
  const { listed, intents, spec } = now;
  const others = listed.filter((member) => member !== victim);
  const isSomeoneComing = others.some((member) => member.etcd.isLearner || !isStarted(member));
  return (
    !hasTlsDefects(now.seen) &&
    others.length < spec.size &&
    !isSomeoneComing &&
    intents.every(({ name }) => name === victim.name)
  );
}

function whyDead(member: ListedMember, { spec }: Situation): string {
  if (isGhost(member)) return "it was added and never started";
  const { pod } = member;
  if (pod?.refusal === "log-behind") return "its volume is an older copy, or its log was truncated (log-behind)";
  if (pod?.refusal !== undefined) return `its volume belongs to another member (${pod.refusal})`;
  if (!mayReturn(member)) return "its pod was deleted, and its data with it";
  if (member.health === "healthy")
    return `etcd does not promote it, and its log has stopped at index ${logIndexOf(pod)}`;
  if (member.etcd.isLearner) return "it never caught up";
  return `not healthy for ${spec.memberReplacement.afterSeconds} s${pod?.trouble ? ` (${pod.trouble})` : ""}`;
}
