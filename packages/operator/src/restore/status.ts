import type { ActionOutcome } from "@etcd-operator/controller-runtime";
import { conditionAfter, conditionOf, cut, rfc3339, withEndConditions } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { progressShown } from "../transfer/progress-shown.ts";
import type { Action, Failure } from "./action.ts";
import { isFinal } from "./attempt.ts";
import type { Observation, RunProgress } from "./observation.ts";
import type { RestoreVerdict } from "./reasons.ts";

export type RestoreStatus = NonNullable<EtcdRestore["status"]>;

/** What the status says after an action was carried out, or was not: then it has to be planned from another picture. */
export function statusAfter(
  seen: Observation,
  action: Action,
  { kind }: Pick<ActionOutcome, "kind"> = { kind: "done" },
): RestoreStatus {
  const { restore, nowMs } = seen;
  const old = restore.status ?? {};
  if (kind === "postponed") return old;
  switch (action.kind) {
    case "none":
    case "add-finalizer":
    case "remove-finalizer":
    case "withdraw":
      return old;
    case "begin":
      return begun(seen, action);
    case "hold":
      return told(seen, underWay({ ...old, phase: action.phase }, action.progress, nowMs), action);
    case "obstructed":
      // What is over keeps its last word.
      return isFinal(restore) ? old : told(seen, old, action);
    case "verify":
    case "save":
    case "push": {
      const { phase, step } = STARTED[action.kind];
      return told(seen, underWay({ ...old, phase }, { step }, nowMs), action);
    }
    case "record-verified":
      return noted(seen, { ...old, snapshot: action.snapshot }, "Verified", is(true, action));
    case "record-refused":
      return noted(seen, old, "Verified", is(false, action));
    case "record-saved":
      return saved(seen, action);
    case "create-cluster":
    case "request":
      return told(seen, underWay({ ...old, phase: "Restoring" }, { step: action.message }, nowMs), action);
    case "give-up":
      return noted(seen, { ...old, reason: cut(action.message) }, "Canceled", is(true, action));
    case "cancel":
    case "park-cluster":
      return told(seen, underWay(old, { step: action.message }, nowMs), action);
    case "fail":
      return failed(seen, action);
    case "succeed":
      return ended(seen, action, true);
  }
}

/** What is being done once a piece of work was started, until it says so itself. */
const STARTED = {
  verify: { phase: "Verifying", step: "Reading the backup" },
  save: { phase: "Saving", step: "Checking the members" },
  push: { phase: "Restoring", step: "Sending the snapshot" },
} as const;

/** All that is left of an earlier attempt is the snapshot by which it can be undone. */
function begun(seen: Observation, action: Action): RestoreStatus {
  const { restore, nowMs } = seen;
  const { generation } = restore.metadata;
  const { safetySnapshot } = restore.status ?? {};
  const status: RestoreStatus = {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase: "Verifying",
    startedAt: rfc3339(nowMs),
    ...(safetySnapshot && { safetySnapshot }),
  };
  return told({ ...seen, restore: { ...restore, status } }, status, action);
}

function saved(seen: Observation, action: Extract<Action, { kind: "record-saved" }>): RestoreStatus {
  const { snapshot, safetySnapshot } = action;
  const status = { ...seen.restore.status, snapshot, ...(safetySnapshot && { safetySnapshot }) };
  return noted(seen, status, "Saved", is(safetySnapshot !== undefined, action));
}

function failed(seen: Observation, action: Failure): RestoreStatus {
  const status = ended(seen, action, false);
  return action.shows ? noted(seen, status, action.shows, is(false, action)) : status;
}

function ended(seen: Observation, action: Action, succeeded: boolean): RestoreStatus {
  const { progress: _, reason: __, conditions = [], ...old } = seen.restore.status ?? {};
  const phase = succeeded ? ("Succeeded" as const) : ("Failed" as const);
  const reason = succeeded ? {} : { reason: cut(action.message) };
  // A failure that was declared too early is not reported any more.
  const told = { conditions: succeeded ? conditions.filter(({ type }) => type !== "Canceled") : conditions };
  const status = { ...old, ...told, succeeded, phase, ...reason, finishedAt: rfc3339(seen.nowMs) };
  return noted(seen, status, "Restored", is(succeeded, action));
}

/** The current activity, for readers that ask why it is not done yet. */
function told(seen: Observation, status: RestoreStatus, action: Action): RestoreStatus {
  return noted(seen, status, "Restored", is(undefined, action));
}

function noted(seen: Observation, status: RestoreStatus, type: string, verdict: RestoreVerdict): RestoreStatus {
  const moment = { nowMs: seen.nowMs, generation: status.observedGeneration ?? seen.restore.metadata.generation };
  const { conditions = [] } = status;
  const old = conditionOf(conditions, type);
  const next = conditionAfter(type, verdict, old, moment);
  const all = [...conditions.filter((condition) => condition !== old), next];
  return { ...status, conditions: type === "Restored" ? withEndConditions(all, verdict, moment) : all };
}

function is(isTrue: boolean | undefined, { reason, message }: Action): RestoreVerdict {
  return { isTrue, reason, message };
}

/** A step that goes on keeps the time at which it began. */
function underWay(status: RestoreStatus, progress: RunProgress | undefined, nowMs: number): RestoreStatus {
  const { progress: old, ...rest } = status;
  if (!progress) return rest;
  const { trouble: _, ...shown } = progress;
  const startedAt = old?.step === progress.step ? old.startedAt : rfc3339(nowMs);
  return { ...rest, progress: { startedAt, ...shown, ...progressShown(shown) } };
}
