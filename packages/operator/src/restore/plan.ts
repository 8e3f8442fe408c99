import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import { begin } from "./rules/begin.ts";
import { cancelWhenDeleted } from "./rules/cancel-when-deleted.ts";
import { follow } from "./rules/follow.ts";
import { holdWhilePaused } from "./rules/hold-while-paused.ts";
import { refuse } from "./rules/refuse.ts";
import { releaseWhenFinished } from "./rules/release-when-finished.ts";
import { requestRestore } from "./rules/request-restore.ts";
import { save } from "./rules/save.ts";
import { stillNeeded } from "./rules/still-needed.ts";
import { verify } from "./rules/verify.ts";
import { waitForOthers } from "./rules/wait-for-others.ts";
import { type Rule, situationOf } from "./situation.ts";

// Order is policy: a request that a cluster already has comes first; no cluster gets one before the snapshot is known
// to be good and the existing data is safe.
const rules: readonly Rule[] = [
  cancelWhenDeleted,
  releaseWhenFinished,
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
  const now = situationOf(seen);
  for (const rule of rules) {
    const action = rule(now);
    if (action) return action;
  }
  return { kind: "none", reason: "Finished", message: "Nothing to do: the restore has finished" };
}
