import { defined, rfc3339 } from "@etcd-operator/kubernetes-client";
import { progressShown } from "../../transfer/progress-shown.ts";
import type { Action } from "../action.ts";
import type { RunSeen } from "../observation.ts";
import type { Situation, Status } from "../situation.ts";

/**
 * The run in progress. It stays recorded until its end is: a run found there by a process that has not started it
 * was interrupted, and is begun again.
 */
export function progressOf(
  { seen, status }: Situation,
  action: Action,
  run: RunSeen | undefined,
): Status["progress"] | undefined {
  if (action.kind === "record-run" || seen.problems.length > 0) return undefined;
  if (!run || action.kind === "drop-run") return status.progress;
  // An interrupted one may have left something there, which this one removes before it says where its own will be.
  const begun = { startedAt: rfc3339(run.about.startedAtMs), path: status.progress?.path };
  if (run.state.kind !== "running") return defined({ ...begun, step: "Waiting for a transfer slot" });
  const { progress = { step: "Starting" } } = run.state;
  return defined({ ...begun, ...progress, ...progressShown(progress) });
}
