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

function afterFailure(now: Situation, { message, needsFix }: RunFailed, attempt: number): Verdict {
  if (needsFix) return { isTrue: false, reason: "NeedsAttention", message };
  if (isPeriodic(now)) return { isTrue: false, reason: "AttemptFailed", message };
  if (attempt < MOST_ATTEMPTS) {
    const before = asBefore(now);
    // A client that waits for the result takes "False" for final, which this is not.
    return { isTrue: before.isTrue, reason: "AttemptFailed", message };
  }
  const given = `${message}. Stopped after ${attempt} attempts: edit the spec, or recreate the EtcdBackup, to try again`;
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

const TAKEN_BEFORE =
  "The backup was taken by coreos/etcd-operator and is not verified. Edit the spec to take a new one";

/** coreos/etcd-operator wrote no conditions. A failure of its time is not retried. */
function ofTheOldOperator({ status }: Situation): Verdict {
  if (status.succeeded === undefined) return PENDING;
  if (status.succeeded) return { isTrue: true, reason: "TakenByEarlierOperator", message: TAKEN_BEFORE };
  return { isTrue: false, reason: "GaveUp", message: status.Reason || "The backup failed under coreos/etcd-operator" };
}
