import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { Action } from "../action.ts";
import type { RunFailed, RunSucceeded } from "../observation.ts";
import type { BackupVerdict } from "../reasons.ts";
import { isElsewhere, isPeriodic, lastReason, MOST_ATTEMPTS, type Situation } from "../situation.ts";

type Verdict = BackupVerdict<"Succeeded">;

/** Whether the newest backup is there and verified. Unknown: nothing has come of it yet. */
export function succeeded(now: Situation, action: Action): Verdict {
  const { seen } = now;
  if (seen.problems.length > 0) return { isTrue: false, reason: "InvalidSpec", message: seen.problems.join("; ") };
  if (action.kind === "record-run") {
    const { about, state } = action.run;
    if (state.outcome.kind === "succeeded") return verified(state.outcome);
    return afterFailure(now, state.outcome, about.attempt);
  }
  return asBefore(now);
}

function verified({ snapshot }: RunSucceeded): Verdict {
  const { path, revision } = snapshot;
  return { isTrue: true, reason: "Verified", message: `Backup '${path}' of revision ${revision} is verified` };
}

function afterFailure(now: Situation, { message, needsSomebody }: RunFailed, attempt: number): Verdict {
  if (needsSomebody) return { isTrue: false, reason: "NeedsAttention", message };
  if (isPeriodic(now)) return { isTrue: false, reason: "AttemptFailed", message };
  if (attempt < MOST_ATTEMPTS) {
    const before = asBefore(now);
    // Who waits for a verdict takes "false" for the last word, which this is not.
    return { isTrue: before.isTrue, reason: "AttemptFailed", message };
  }
  const given = `${message}. Given up after ${attempt} attempts: edit the spec, or create the EtcdBackup anew, to try again`;
  return { isTrue: false, reason: "GaveUp", message: given };
}

const PENDING: Verdict = { isTrue: undefined, reason: "Pending", message: "No backup has been taken yet" };

function asBefore(now: Situation): Verdict {
  const { status, isNewSpec } = now;
  // Of one that is taken once, an edit makes another one.
  if ((isNewSpec && !isPeriodic(now)) || isElsewhere(now)) return PENDING;
  const { status: before, message = "" } = conditionOf(status.conditions, "Succeeded") ?? {};
  const reason = lastReason(status);
  if (reason === "InvalidSpec") return PENDING;
  if (before && reason) return { isTrue: before === "Unknown" ? undefined : before === "True", reason, message };
  return ofTheOldOperator(now);
}

const TAKEN_BEFORE = "An earlier operator took the backup; nobody has verified it. Edit the spec to have another one";

/** It wrote no conditions. What failed there once is not begun again here. */
function ofTheOldOperator({ status }: Situation): Verdict {
  if (status.succeeded === undefined) return PENDING;
  if (status.succeeded) return { isTrue: true, reason: "TakenByEarlierOperator", message: TAKEN_BEFORE };
  return { isTrue: false, reason: "GaveUp", message: status.Reason || "It failed under an earlier operator" };
}
