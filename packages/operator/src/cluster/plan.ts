import {
  adoptAnswers,
  adoptVolumes,
  clearGivenUpSeeds,
  declareSeeds,
  giveUpSeeds,
  startSeeds,
  waitForSeeds,
} from "./bootstrap/bootstrap.rule.ts";
import { adoptOrphans, reattachVolumes, takeOver } from "./bootstrap/reattach.rule.ts";
import { noteCluster, noteFewerVoters } from "./bootstrap/record-cluster.rule.ts";
import { identifyMembers, identifyVolumes } from "./membership/identify-members.rule.ts";
import { promoteLearner } from "./membership/promote-learner.rule.ts";
import { scaleDown } from "./membership/scale-down.rule.ts";
import { scaleUp } from "./membership/scale-up.rule.ts";
import { setGates } from "./membership/set-gates.rule.ts";
import type { Action } from "./model/action.ts";
import { holdWhileDeleted, holdWhilePaused } from "./model/hold.rule.ts";
import type { Observation } from "./model/observation.ts";
import { type Rule, type Situation, situationOf } from "./model/situation.ts";
import { stallOf } from "./model/stalls.ts";
import { writeDisruptionBudget, writeServices } from "./objects/write-objects.rule.ts";
import { forgetIntents } from "./repair/forget-intents.rule.ts";
import { holdWithoutQuorum } from "./repair/hold-without-quorum.rule.ts";
import { removeDeadMember } from "./repair/remove-dead-member.rule.ts";
import { removeStrays } from "./repair/remove-strays.rule.ts";
import { resumeJoin } from "./repair/resume-join.rule.ts";
import { returnMembers } from "./repair/return-members.rule.ts";
import { stopDuplicate } from "./repair/stop-duplicate.rule.ts";
import { unstickMember } from "./repair/unstick-member.rule.ts";
import { waitForMembers } from "./repair/wait-for-members.rule.ts";
import {
  holdAllWhileInvalid,
  holdWhileInvalid,
  removeDeadMemberWhileInvalid,
  returnMembersWhileInvalid,
  scaleUpWhileInvalid,
} from "./repair/while-invalid.rule.ts";
import { beginRestore } from "./restore/begin-restore.rule.ts";
import { fenceMembers, makeRoom } from "./restore/fence-members.rule.ts";
import { finishRestore, noteDone } from "./restore/finish-restore.rule.ts";
import { recoverFromBackup } from "./restore/recovery.rule.ts";
import { activeRestore } from "./restore/restoring.rule.ts";
import { callOffRestore, releasePods, rollBack } from "./restore/roll-back.rule.ts";
import { createBackup, waitForBackup } from "./rollout/backup-first.rule.ts";
import { forceSnapshot } from "./rollout/force-snapshot.rule.ts";
import { patchMetadata } from "./rollout/patch-metadata.rule.ts";
import { refuseAddressChange } from "./rollout/refuse-address-change.rule.ts";
import { refuseVersion, rollOut, setDowngrade, waitToRoll } from "./rollout/roll-out.rule.ts";
import { alignClaims, labelClaims } from "./storage/align-claims.rule.ts";
import { expandClaims, expandClaimsInTheWay } from "./storage/expand-claims.rule.ts";
import { recordLogs } from "./storage/record-logs.rule.ts";
import { holdBootstrapForTls, holdForTls, refuseTlsSwitch } from "./tls/tls.rule.ts";

// Order is policy: leave alone what is not ours to change, keep the data, keep quorum, then follow the spec.
const withoutMajority: readonly Rule[] = [
  holdWhileDeleted,
  holdWhilePaused,
  // A restored cluster replaces the existing one, or the restore is rolled back. Until it is on record only this and
  // what bootstraps a cluster acts.
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
  // A cluster is bootstrapped. From adoptAnswers on its id is recorded, and none of the others ever acts again.
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
  stopDuplicate,
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
  // A claim that notes that its member leaves is deleted next.
  noteFewerVoters,
  removeStrays,
  alignClaims,
  finishRestore,
  scaleDown,
  holdForTls,
  setDowngrade,
  forceSnapshot,
  rollOut,
  scaleUp,
  // Kubernetes may refuse these for ever; nothing that waits behind them is kept from happening.
  noteCluster,
  recordLogs,
  patchMetadata,
  expandClaims,
  createBackup,
  refuseVersion,
  waitForBackup,
  waitToRoll,
  waitForMembers,
];

// A spec that is not valid is not followed. What was made from it is kept, as far as that needs nothing of what is
// wrong.
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
  stopDuplicate,
  returnMembersWhileInvalid,
  holdWithoutQuorum,
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMemberWhileInvalid,
  forgetIntents,
  removeStrays,
  scaleUpWhileInvalid,
  recordLogs,
  holdWhileInvalid,
];

/**
 * Those that do not keep the rules behind them waiting once their action has failed, be it refused, undone
 * or without effect: each later rule checks itself whether it may act, and so does what carries its action out. All
 * others are what the rest relies on: what bootstraps a cluster, restores it, takes it over, or responds to the loss of
 * a majority, and what has to be on record before a volume is deleted.
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
  forceSnapshot,
  rollOut,
  scaleUp,
  scaleUpWhileInvalid,
  noteCluster,
  recordLogs,
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
  const meanwhile = [expandClaimsInTheWay, ...(early ? [] : [noteCluster, recordLogs, patchMetadata])];
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

/** Not before the cluster is there: until then each rule builds on the previous one. */
function isPassedOver(action: Action, rule: Rule, { seen, status }: Situation): boolean {
  if (!seen.stalled || seen.stalled.length === 0 || action.kind === "hold" || !MAY_BE_PASSED_OVER.has(rule))
    return false;
  return Boolean(status.clusterID) && !activeRestore(status) && (stallOf(action, seen)?.leftMs ?? 0) > 0;
}
