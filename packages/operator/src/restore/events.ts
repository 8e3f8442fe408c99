import type { ActionOutcome } from "@etcd-operator/controller-runtime";
import type { RecordedEvent } from "@etcd-operator/kubernetes-client";
import type { Action } from "./action.ts";
import { conditionOf } from "./attempt.ts";
import type { Observation } from "./observation.ts";

/** What a pass tells about a restore: its steps, and what it waits for when that is news. */
export function eventsOf({ restore }: Observation, action: Action, outcome: ActionOutcome): RecordedEvent[] {
  if (outcome.kind === "postponed") return [];
  const { reason, message } = action;
  switch (action.kind) {
    case "record-verified":
    case "create-cluster":
    case "request":
    case "cancel":
    case "park-cluster":
    case "succeed":
      return [{ type: "Normal", reason, message }];
    case "record-saved":
      return [{ type: action.safetySnapshot ? "Normal" : "Warning", reason, message }];
    case "record-refused":
    case "give-up":
      return [{ type: "Warning", reason, message }];
    case "fail":
      return [{ type: "Warning", reason: "RestoreFailed", message }];
    case "hold":
      return WAITS.has(reason) && conditionOf(restore, "Restored")?.message !== message
        ? [{ type: "Normal", reason, message }]
        : [];
    default:
      return [];
  }
}

/** Those that end only when somebody does something. */
const WAITS: ReadonlySet<string> = new Set(["Paused", "WaitingForOther"]);
