import { conditionOf, type Verdict } from "@etcd-operator/kubernetes-client";
import type { Action } from "../action.ts";
import type { RunFailed, RunSucceeded } from "../observation.ts";
import { isElsewhere, isPeriodic, MOST_ATTEMPTS, type Situation } from "../situation.ts";
import { REASONS } from "./reasons.ts";

/** Whether the newest backup is there and verified. Unknown: nothing has come of it yet. */
export function succeeded(now: Situation, action: Action): Verdict {
  const { seen } = now;
  if (seen.problems.length > 0) return { isTrue: false, reason: REASONS.invalid, message: seen.problems.join("; ") };
  if (action.kind === "record-run") {
    const { about, state } = action.run;
    if (state.outcome.kind === "succeeded") return verified(state.outcome);
    return afterFailure(now, state.outcome, about.attempt);
  }
  return asBefore(now);
}

function verified({ snapshot }: RunSucceeded): Verdict {
  const { path, revision } = snapshot;
  return { isTrue: true, reason: REASONS.verified, message: `Backup '${path}' of revision ${revision} is verified` };
}

function afterFailure(now: Situation, { message, needsSomebody }: RunFailed, attempt: number): Verdict {
  if (needsSomebody) return { isTrue: false, reason: REASONS.needsSomebody, message };
  if (isPeriodic(now)) return { isTrue: false, reason: REASONS.failed, message };
  if (attempt < MOST_ATTEMPTS) {
    const before = asBefore(now);
    // Who waits for a verdict takes "false" for the last word, which this is not.
    return { isTrue: before.isTrue, reason: REASONS.failed, message };
  }
  const given = `${message}. Given up after ${attempt} attempts: edit the spec, or create the EtcdBackup anew, to try again`;
  return { isTrue: false, reason: REASONS.gaveUp, message: given };
}

const PENDING: Verdict = { isTrue: undefined, reason: REASONS.pending, message: "No backup has been taken yet" };

function asBefore(now: Situation): Verdict {
  const { status, isNewSpec } = now;
  // Of one that is taken once, an edit makes another one.
  if ((isNewSpec && !isPeriodic(now)) || isElsewhere(now)) return PENDING;
  const { status: before, reason = "", message = "" } = conditionOf(status.conditions, "Succeeded") ?? {};
  if (reason === REASONS.invalid) return PENDING;
  if (before) return { isTrue: before === "Unknown" ? undefined : before === "True", reason, message };
  return ofTheOldOperator(now);
}

const TAKEN_BEFORE = "An earlier operator took the backup; nobody has verified it. Edit the spec to have another one";

/** It wrote no conditions. What failed there once is not begun again here. */
function ofTheOldOperator({ status }: Situation): Verdict {
  if (status.succeeded === undefined) return PENDING;
  if (status.succeeded) return { isTrue: true, reason: REASONS.takenBefore, message: TAKEN_BEFORE };
  return { isTrue: false, reason: REASONS.gaveUp, message: status.Reason || "It failed under an earlier operator" };
}
