import type { Action } from "../action.ts";
import { isBegun } from "../attempt.ts";
import { hasFinalizer } from "../finalizer.ts";
import type { Situation } from "../situation.ts";

/**
 * A new restore, one that was edited before anything was asked of the cluster, or one that was edited after it had
 * failed.
 */
export function begin({ seen: { restore } }: Situation): Action | undefined {
  const { status, metadata } = restore;
  if (isBegun(restore) && status?.observedGeneration === metadata.generation) return undefined;
  const message = status?.phase ? "The spec was edited: starting the restore again" : "Starting the restore";
  return { kind: hasFinalizer(restore) ? "begin" : "add-finalizer", reason: "Started", message };
}
