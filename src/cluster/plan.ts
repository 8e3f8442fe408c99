import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import { activeRestore } from "./restoring.ts";
import { alignClaims, labelClaims } from "./rules/align-claims.ts";
import { createBackup, waitForBackup } from "./rules/backup-first.ts";
import { beginRestore } from "./rules/begin-restore.ts";
import {
  adoptAnswers,
  adoptVolumes,
  clearGivenUpSeeds,
  declareSeeds,
  giveUpSeeds,
  startSeeds,
  waitForSeeds,
} from "./rules/bootstrap.ts";
import { expandClaims, expandClaimsInTheWay } from "./rules/expand-claims.ts";
import { fenceMembers, makeRoom } from "./rules/fence-members.ts";
import { finishRestore, noteDone } from "./rules/finish-restore.ts";
import { forgetIntents } from "./rules/forget-intents.ts";
import { holdWhileDeleted, holdWhilePaused } from "./rules/hold.ts";
import { holdWithoutQuorum } from "./rules/hold-without-quorum.ts";
import { identifyMembers, identifyVolumes } from "./rules/identify-members.ts";
import { noteCluster, noteFewerVoters } from "./rules/note-cluster.ts";
import { noteLogs } from "./rules/note-logs.ts";
import { patchMetadata } from "./rules/patch-metadata.ts";
import { promoteLearner } from "./rules/promote-learner.ts";
import { adoptOrphans, reattachVolumes, takeOver } from "./rules/reattach.ts";
import { recoverFromBackup } from "./rules/recover.ts";
import { refuseAddressChange } from "./rules/refuse-address-change.ts";
import { removeDeadMember } from "./rules/remove-dead-member.ts";
import { removeStrays } from "./rules/remove-strays.ts";
import { resumeJoin } from "./rules/resume-join.ts";
import { returnMembers } from "./rules/return-members.ts";
import { callOffRestore, releasePods, rollBack } from "./rules/roll-back.ts";
import { refuseVersion, rollOut, setDowngrade, waitToRoll } from "./rules/roll-out.ts";
import { scaleDown } from "./rules/scale-down.ts";
import { scaleUp } from "./rules/scale-up.ts";
import { setGates } from "./rules/set-gates.ts";
import { stopImpostor } from "./rules/stop-impostor.ts";
import { holdBootstrapForTls, holdForTls, refuseTlsSwitch } from "./rules/tls.ts";
import { turnOverLog } from "./rules/turn-over-log.ts";
import { unstickMember } from "./rules/unstick-member.ts";
import { waitForMembers } from "./rules/wait-for-members.ts";
import {
  holdAllWhileInvalid,
  holdWhileInvalid,
  removeDeadMemberWhileInvalid,
  returnMembersWhileInvalid,
  scaleUpWhileInvalid,
} from "./rules/while-invalid.ts";
import { writeDisruptionBudget, writeServices } from "./rules/write-objects.ts";
import { type Rule, type Situation, situationOf } from "./situation.ts";
import { stallOf } from "./stalls.ts";

// Order is policy: leave alone what is not ours to change, keep the data, keep quorum, then follow the spec.
const withoutMajority: readonly Rule[] = [
  holdWhileDeleted,
  holdWhilePaused,
  // Another cluster takes the place of what is there, or does not after all. Until it is on record only this and what founds a cluster acts.
  beginRestore,
  callOffRestore,
  rollBack,
  fenceMembers,
  makeRoom,
  releasePods,
  noteDone,
  refuseTlsSwitch,
  refuseAddressChange,
  writeServices,
  // A cluster comes to be. From adoptAnswers on its id is on record, and none of the others ever acts again.
  adoptAnswers,
  adoptVolumes,
  giveUpSeeds,
  clearGivenUpSeeds,
  adoptOrphans,
  holdBootstrapForTls,
  reattachVolumes,
  declareSeeds,
  startSeeds,
  waitForSeeds,
  // What brings members back needs no majority, and may be what restores it.
  takeOver,
  labelClaims,
  identifyMembers,
  identifyVolumes,
  setGates,
  stopImpostor,
  returnMembers,
  resumeJoin,
  unstickMember,
  recoverFromBackup,
  holdWithoutQuorum,
];

const withMajority: readonly Rule[] = [
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMember,
  forgetIntents,
  // A claim that says that its member leaves goes next.
  noteFewerVoters,
  removeStrays,
  alignClaims,
  finishRestore,
  scaleDown,
  holdForTls,
  setDowngrade,
  turnOverLog,
  rollOut,
  scaleUp,
  // Kubernetes may refuse these for ever; nothing that waits behind them is kept from happening.
  noteCluster,
  noteLogs,
  patchMetadata,
  expandClaims,
  createBackup,
  refuseVersion,
  waitForBackup,
  waitToRoll,
  waitForMembers,
];

// A spec that is not valid is not followed. What was made from it is kept, as far as that needs nothing of what is wrong.
const whileInvalid: readonly Rule[] = [
  holdWhileDeleted,
  holdAllWhileInvalid,
  holdWhilePaused,
  refuseTlsSwitch,
  refuseAddressChange,
  writeServices,
  identifyMembers,
  identifyVolumes,
  setGates,
  stopImpostor,
  returnMembersWhileInvalid,
  holdWithoutQuorum,
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMemberWhileInvalid,
  forgetIntents,
  removeStrays,
  scaleUpWhileInvalid,
  noteLogs,
  holdWhileInvalid,
];

/**
 * Those that do not keep the rules behind them waiting once what they want has come to nothing, be it refused, undone or without effect: each rule
 * behind looks itself whether it may act, and so does what carries its action out. All others are what the rest relies on: what founds a cluster,
 * restores it, takes it over, or answers the loss of a majority, and what has to be on record before a volume goes.
 */
export const MAY_BE_PASSED_OVER: ReadonlySet<Rule> = new Set([
  writeServices,
  labelClaims,
  identifyMembers,
  identifyVolumes,
  setGates,
  returnMembers,
  returnMembersWhileInvalid,
  resumeJoin,
  unstickMember,
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMember,
  removeDeadMemberWhileInvalid,
  removeStrays,
  alignClaims,
  scaleDown,
  setDowngrade,
  turnOverLog,
  rollOut,
  scaleUp,
  scaleUpWhileInvalid,
  noteCluster,
  noteLogs,
  patchMetadata,
  expandClaims,
  expandClaimsInTheWay,
  createBackup,
]);

/** What to do next, and what comes before it and has come to nothing so far. */
export interface Decision {
  readonly action: Action;
  readonly passedOver: readonly Action[];
}

/** The one thing to do next, and why. */
export function plan(seen: Observation): Action {
  return decide(seen).action;
}

export function decide(seen: Observation): Decision {
  const now = situationOf(seen);
  const passedOver: Action[] = [];
  const firstOf = (rules: readonly Rule[]) => firstAction(rules, now, passedOver);
  if (seen.problems.length > 0) return { action: firstOf(whileInvalid) ?? UP_TO_DATE, passedOver };
  const early = firstOf(withoutMajority);
  const action = early ?? firstOf(withMajority) ?? UP_TO_DATE;
  if (action.kind !== "hold") return { action, passedOver };
  // Whatever is waited for, it is not waited for with these.
  const meanwhile = [expandClaimsInTheWay, ...(early ? [] : [noteCluster, noteLogs, patchMetadata])];
  return { action: firstOf(meanwhile) ?? action, passedOver };
}

const UP_TO_DATE: Action = { kind: "none", reason: "UpToDate", message: "All members match the spec" };

function firstAction(rules: readonly Rule[], now: Situation, passedOver: Action[]): Action | undefined {
  for (const rule of rules) {
    const action = rule(now);
    if (action && !isPassedOver(action, rule, now)) return action;
    if (action) passedOver.push(action);
  }
  return undefined;
}

/** Not before the cluster is there: until then each rule builds on the one before it. */
function isPassedOver(action: Action, rule: Rule, { seen, status }: Situation): boolean {
  if (!seen.stalled || seen.stalled.length === 0 || action.kind === "hold" || !MAY_BE_PASSED_OVER.has(rule))
    return false;
  return Boolean(status.clusterID) && !activeRestore(status) && (stallOf(action, seen)?.leftMs ?? 0) > 0;
}
