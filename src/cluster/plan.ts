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
import { expandClaims, expandClaimsInTheWay } from "./rules/expand-claims.ts";
import { forgetIntents } from "./rules/forget-intents.ts";
import { holdWhileDeleted, holdWhileInvalid, holdWhilePaused } from "./rules/hold.ts";
import { holdWithoutQuorum } from "./rules/hold-without-quorum.ts";
import { identifyMembers, identifyVolumes } from "./rules/identify-members.ts";
import { patchMetadata } from "./rules/patch-metadata.ts";
import { promoteLearner } from "./rules/promote-learner.ts";
import { refuseAddressChange } from "./rules/refuse-address-change.ts";
import { removeDeadMember } from "./rules/remove-dead-member.ts";
import { removeStrays } from "./rules/remove-strays.ts";
import { resumeJoin } from "./rules/resume-join.ts";
import { returnMembers } from "./rules/return-members.ts";
import { refuseVersion, rollOut, setDowngrade } from "./rules/roll-out.ts";
import { scaleDown } from "./rules/scale-down.ts";
import { scaleUp } from "./rules/scale-up.ts";
import { setGates } from "./rules/set-gates.ts";
import { holdBootstrapForTls, holdForTls, refuseTlsSwitch } from "./rules/tls.ts";
import { unstickMember } from "./rules/unstick-member.ts";
import { waitForMembers } from "./rules/wait-for-members.ts";
import { writeDisruptionBudget, writeServices } from "./rules/write-objects.ts";
import { type Rule, situationOf } from "./situation.ts";

// Order is policy: leave alone what is not ours to change, keep the data, keep quorum, then follow the spec.
const rules: readonly Rule[] = [
  holdWhileDeleted,
  holdWhileInvalid,
  holdWhilePaused,
  refuseTlsSwitch,
  refuseAddressChange,
  writeServices,
  // A cluster comes to be. From adoptAnswers on its id is on record, and none of the others ever acts again.
  adoptAnswers,
  adoptVolumes,
  giveUpSeeds,
  clearGivenUpSeeds,
  holdBootstrapForTls,
  declareSeeds,
  startSeeds,
  waitForSeeds,
  // What brings members back needs no majority, and may be what restores it.
  identifyMembers,
  identifyVolumes,
  setGates,
  returnMembers,
  resumeJoin,
  unstickMember,
  holdWithoutQuorum,
  // A majority is there.
  writeDisruptionBudget,
  promoteLearner,
  removeDeadMember,
  forgetIntents,
  removeStrays,
  alignClaims,
  patchMetadata,
  scaleDown,
  holdForTls,
  setDowngrade,
  rollOut,
  scaleUp,
  // Nothing that waits behind these is kept from happening.
  expandClaims,
  refuseVersion,
  waitForMembers,
];

/** The one thing to do next, and why. */
export function plan(seen: Observation): Action {
  const now = situationOf(seen);
  for (const rule of rules) {
    const action = rule(now);
    if (action) return (action.kind === "hold" && expandClaimsInTheWay(now)) || action;
  }
  return { kind: "none", reason: "UpToDate", message: "All members match the spec" };
}
