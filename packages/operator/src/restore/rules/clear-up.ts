import type { Action } from "../action.ts";
import { isFinal, ownRequest } from "../attempt.ts";
import { hasFinalizer } from "../finalizer.ts";
import type { Observation } from "../observation.ts";
import { takeBack } from "./take-back.ts";

/** Over: nothing of it stays on the cluster, and nothing keeps it from being deleted. */
export function clearUp(seen: Observation): Action | undefined {
  const { restore, cluster } = seen;
  const phase = restore.status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return undefined;
  if (ownRequest(seen) && !cluster?.metadata.deletionTimestamp) return takeBack(seen);
  if (!isFinal(restore)) return undefined;
  const finished = {
    reason: phase,
    message: `It ${phase === "Failed" ? "failed" : "succeeded"}: nothing is left to do`,
  };
  return { kind: hasFinalizer(restore) ? "release" : "none", ...finished };
}
