import type { Action } from "../action.ts";
import { isFinal } from "../attempt.ts";
import { hasFinalizer } from "../finalizer.ts";
import type { Situation } from "../situation.ts";
import { withdrawRequest } from "./withdraw-request.ts";

/** Over: nothing of it stays on the cluster, and nothing keeps it from being deleted. */
export function releaseWhenFinished(now: Situation): Action | undefined {
  const { restore, cluster } = now.seen;
  const phase = restore.status?.phase;
  if (phase !== "Succeeded" && phase !== "Failed") return undefined;
  if (now.request && !cluster?.metadata.deletionTimestamp) return withdrawRequest(now);
  if (!isFinal(restore)) return undefined;
  const ended = `The restore ${phase === "Failed" ? "failed" : "succeeded"}`;
  return hasFinalizer(restore)
    ? { kind: "remove-finalizer", reason: phase, message: `${ended}: removing its finalizer` }
    : { kind: "none", reason: phase, message: `${ended}: nothing is left to do` };
}
