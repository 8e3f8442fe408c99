import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Action } from "../action.ts";
import type { RunSeen } from "../observation.ts";
import type { BackupVerdict } from "../reasons.ts";
import type { Situation } from "../situation.ts";

type Verdict = BackupVerdict<"Progressing">;

/** Whether anything is being done, or will be soon: only waiting for the next slot is not. */
export function progressing({ seen, due }: Situation, run: RunSeen | undefined, action: Action): Verdict {
  if (action.kind === "obstructed") return yes("ActionFailed", action.message);
  if (seen.problems.length > 0) return no("InvalidSpec", "Nothing is done while the spec is not valid");
  if (run) {
    const isQueued = run.state.kind === "queued";
    return isQueued ? yes("Queued", "The backup waits for its turn") : yes("Running", "The backup is being taken");
  }
  if (!due) return no("Finished", "There is nothing left to do until the spec is edited");
  if (due.why === "interrupted") return yes("Retrying", "The backup is begun again");
  const at = rfc3339(due.atMs);
  return due.why === "retry"
    ? yes("Retrying", `The backup is tried again at ${at}`)
    : no("Scheduled", `The next backup is due at ${at}`);
}

function yes(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: true, reason, message };
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}
