import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Action } from "../action.ts";
import type { RunSeen } from "../observation.ts";
import type { BackupVerdict } from "../reasons.ts";
import type { Situation } from "../situation.ts";

type Verdict = BackupVerdict<"Progressing">;

/** Whether anything is being done, or will be soon: only waiting for the next slot is not. */
export function progressing({ seen, due }: Situation, run: RunSeen | undefined, action: Action): Verdict {
  if (action.kind === "obstructed") return yes("ActionFailed", action.message);
  if (seen.problems.length > 0) return no("InvalidSpec", "The spec is invalid: no backup is taken until it is fixed");
  if (run) {
    const isQueued = run.state.kind === "queued";
    return isQueued
      ? yes("Queued", "The backup is queued: other transfers are running")
      : yes("Running", "Taking the backup");
  }
  if (!due) return no("Finished", "Nothing to do until the spec is edited");
  if (due.why === "interrupted") return yes("Retrying", "Starting the interrupted backup again");
  const at = rfc3339(due.atMs);
  return due.why === "retry"
    ? yes("Retrying", `The backup will be retried at ${at}`)
    : no("Scheduled", `The next backup is due at ${at}`);
}

function yes(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: true, reason, message };
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}
