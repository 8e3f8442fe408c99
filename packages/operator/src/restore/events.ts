import type { ActionOutcome } from "@etcd-operator/controller-runtime";
import type { Action } from "./action.ts";
import { conditionOf } from "./attempt.ts";
import type { Observation } from "./observation.ts";
import { type RestoreEvent, restoreEvent } from "./reasons.ts";

/** The Events of one reconcile of a restore: its steps, and what it waits for when that is new. */
export function eventsOf({ restore }: Observation, action: Action, outcome: ActionOutcome): RestoreEvent[] {
  if (outcome.kind === "postponed") return [];
  const { reason, message } = action;
  switch (action.kind) {
    case "record-verified":
      return [restoreEvent("Verified", message)];
    case "create-cluster":
    case "request":
      return [restoreEvent("Restoring", message)];
    case "cancel":
      return [restoreEvent(restore.metadata.deletionTimestamp ? "Deleting" : "Canceling", message)];
    case "park-cluster":
      return [restoreEvent("WithdrawingRequest", message)];
    case "succeed":
      return [restoreEvent("Restored", message)];
    case "record-saved":
      return [restoreEvent(action.safetySnapshot ? "Saved" : "NoMemberAnswers", message)];
    case "record-refused":
    case "give-up":
      return [restoreEvent(action.reason, message)];
    case "fail":
      return [restoreEvent("RestoreFailed", message)];
    case "hold":
      // Those that end only when an administrator, or another restore, does something.
      return (reason === "Paused" || reason === "WaitingForOther") &&
        conditionOf(restore, "Restored")?.message !== message
        ? [restoreEvent(reason, message)]
        : [];
    default:
      return [];
  }
}
