import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import { alignClaims } from "./rules/align-claims.ts";
import {
  adoptAnswers,
  adoptVolumes,
  clearGivenUpSeeds,
  declareSeeds,
  giveUpSeeds,
  startSeeds,
  waitForSeeds,
} from "./rules/bootstrap.ts";
import { forgetIntents } from "./rules/forget-intents.ts";
import { holdWhileDeleted, holdWhileInvalid, holdWhilePaused } from "./rules/hold.ts";
import { holdWithoutQuorum } from "./rules/hold-without-quorum.ts";
import { identifyMembers, identifyVolumes } from "./rules/identify-members.ts";
import { promoteLearner } from "./rules/promote-learner.ts";
import { refuseAddressChange } from "./rules/refuse-address-change.ts";
import { removeDeadMember } from "./rules/remove-dead-member.ts";
import { removeStrays } from "./rules/remove-strays.ts";
import { resumeJoin } from "./rules/resume-join.ts";
import { returnMembers } from "./rules/return-members.ts";
import { scaleDown } from "./rules/scale-down.ts";
import { scaleUp } from "./rules/scale-up.ts";
import { setGates } from "./rules/set-gates.ts";
import { waitForMembers } from "./rules/wait-for-members.ts";
import { writeDisruptionBudget, writeServices } from "./rules/write-objects.ts";
import { type Rule, situationOf } from "./situation.ts";

// Order is policy: leave alone what is not ours to change, keep the data, keep quorum, then follow the spec.
const rules: readonly Rule[] = [
  holdWhileDeleted,
  holdWhileInvalid,
  holdWhilePaused,
  refuseAddressChange,
  writeServices,
  // A cluster comes to be. From adoptAnswers on its id is on record, and none of the others ever acts again.
  adoptAnswers,
  adoptVolumes,
  giveUpSeeds,
  clearGivenUpSeeds,
  declareSeeds,
  startSeeds,
  waitForSeeds,
  // What brings members back needs no majority, and may be what restores it.
  identifyMembers,
  identifyVolumes,
  setGates,
  returnMembers,
  resumeJoin,
  holdWithoutQuorum,
  // A majority is there.
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMember,
  forgetIntents,
  removeStrays,
  alignClaims,
  scaleDown,
  scaleUp,
  waitForMembers,
];

/** The one thing to do next, and why. */
export function plan(seen: Observation): Action {
  const now = situationOf(seen);
  for (const rule of rules) {
    const action = rule(now);
    if (action) return action;
  }
  return { kind: "none", reason: "UpToDate", message: "All members match the spec" };
}
