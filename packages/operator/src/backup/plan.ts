import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import { addFinalizer, dropFinalizer } from "./rules/add-finalizer.ts";
import { clearDrill, dropOutdatedDrill, recordDrill, startDrill } from "./rules/drill.ts";
import { finishDeletion } from "./rules/finish-deletion.ts";
import { dropOutdatedRun, followRun, recordRun } from "./rules/follow-run.ts";
import { holdWhileInvalid } from "./rules/hold.ts";
import { startRun } from "./rules/start-run.ts";
import { waitForNextRun } from "./rules/wait.ts";
import { type Rule, type Situation, situationOf } from "./situation.ts";

// Order is policy: stop obsolete work, report results, then start what is due.
const rules: readonly Rule[] = [
  finishDeletion,
  dropOutdatedRun,
  dropOutdatedDrill,
  holdWhileInvalid,
  recordRun,
  recordDrill,
  clearDrill,
  // A drill keeps no backup waiting, nor the other way round.
  startDrill,
  followRun,
  addFinalizer,
  dropFinalizer,
  startRun,
  waitForNextRun,
];

/** The one thing to do next, and why. */
export function plan(seen: Observation): Action {
  const now = situationOf(seen);
  const action = firstOf(now) ?? FINISHED;
  const drillMs = whenToDrill(now);
  if (drillMs === undefined || (action.kind !== "hold" && action.kind !== "none")) return action;
  const recheckMs = action.kind === "hold" ? action.recheckAfterMs : undefined;
  return { ...action, kind: "hold", recheckAfterMs: Math.min(drillMs, recheckMs ?? drillMs) };
}

const FINISHED: Action = {
  kind: "none",
  reason: "Finished",
  message: "Nothing to do until the spec is edited",
};

function firstOf(now: Situation): Action | undefined {
  for (const rule of rules) {
    const action = rule(now);
    if (action) return action;
  }
  return undefined;
}

/** Until the next drill is due; undefined while one is under way. */
function whenToDrill({ seen, drill }: Situation): number | undefined {
  if (seen.drill || drill.dueMs === undefined) return undefined;
  return Math.max(0, drill.dueMs - seen.nowMs);
}
