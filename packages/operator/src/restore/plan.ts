import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import { begin } from "./rules/begin.ts";
import { callOff } from "./rules/call-off.ts";
import { clearUp } from "./rules/clear-up.ts";
import { follow } from "./rules/follow.ts";
import { holdWhilePaused } from "./rules/hold-while-paused.ts";
import { refuse } from "./rules/refuse.ts";
import { requestRestore } from "./rules/request-restore.ts";
import { save } from "./rules/save.ts";
import { stillNeeded } from "./rules/still-needed.ts";
import { verify } from "./rules/verify.ts";
import { waitForOthers } from "./rules/wait-for-others.ts";

export type Rule = (seen: Observation) => Action | undefined;

// Order is policy: what was asked of a cluster is seen to first; nothing is asked of one before the snapshot is known to be good and what is
// there is safe.
const rules: readonly Rule[] = [
  callOff,
  clearUp,
  follow,
  begin,
  refuse,
  waitForOthers,
  verify,
  holdWhilePaused,
  save,
  stillNeeded,
  requestRestore,
];

export function plan(seen: Observation): Action {
  for (const rule of rules) {
    const action = rule(seen);
    if (action) return action;
  }
  return { kind: "none", reason: "Finished", message: "There is nothing left to do" };
}
