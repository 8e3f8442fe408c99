import type { Outcome, Pass, Reconcile } from "@etcd-operator/controller-runtime";
import { isWorthTelling } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";
import type { BackupEvent } from "./reasons.ts";
import type { Status } from "./situation.ts";

/** What a pass is made of; each step is a file of its own beside this one. */
export interface Steps {
  /** Undefined when there is nothing to look after: the object is gone, or not this operator's. */
  readonly observe: (key: string, pass: Pass, signal: AbortSignal) => Promise<Observation | undefined>;
  readonly plan: (seen: Observation) => Action;
  readonly act: (seen: Observation, action: Action, pass: Pass, signal: AbortSignal) => Promise<void>;
  readonly statusAfter: (seen: Observation, action: Action) => Status;
  readonly isWorthWriting: (seen: Observation, next: Status) => boolean;
  /** Fails when the object has changed since it was seen. */
  readonly writeStatus: (backup: Stored<EtcdBackup>, status: Status, pass: Pass, signal: AbortSignal) => Promise<void>;
  readonly eventsOf: (seen: Observation, action: Action, next: Status) => readonly BackupEvent[];
  readonly record: (backup: Stored<EtcdBackup>, event: BackupEvent) => void;
  /** When all is written down: only now may what was done be forgotten. */
  readonly settle: (seen: Observation, action: Action) => Promise<void>;
}

/** The same action again means that it had no effect: then there is no hurry. */
const REPEATED_MS = 1_000;

/** One pass over an EtcdBackup: look, decide on one thing, do it, and say what came of it. */
export function reconciler(steps: Steps): Reconcile {
  /** What each object's last pass had to say. */
  const lastSaid = new Map<string, string>();

  return async (key, signal, pass) => {
    const seen = await steps.observe(key, pass, signal);
    if (!seen) {
      lastSaid.delete(key);
      return { kind: "done" };
    }
    const action = steps.plan(seen);
    const said = [action.kind, action.reason, action.message].join("\0");
    const isRepeated = lastSaid.get(key) === said;
    lastSaid.set(key, said);
    log(pass, action, isRepeated);
    try {
      await steps.act(seen, action, pass, signal);
    } catch (error) {
      if (isWorthTelling(error) && !signal.aborted) await tellOfFailure(steps, seen, action, error, pass, signal);
      throw error;
    }
    // The object is another version now; the next pass says what there is to say.
    if (!changesObject(action)) await report(steps, seen, action, pass, signal);
    await steps.settle(seen, action);
    return next(action, isRepeated);
  };
}

async function report(steps: Steps, seen: Observation, action: Action, pass: Pass, signal: AbortSignal): Promise<void> {
  const status = steps.statusAfter(seen, action);
  if (steps.isWorthWriting(seen, status)) await steps.writeStatus(seen.backup, status, pass, signal);
  for (const event of steps.eventsOf(seen, action, status)) steps.record(seen.backup, event);
}

/** What was true before must not go on being said. Where this fails too, the first failure is still the one to report. */
async function tellOfFailure(
  steps: Steps,
  seen: Observation,
  { message }: Action,
  error: Error,
  pass: Pass,
  signal: AbortSignal,
): Promise<void> {
  const failed = {
    kind: "obstructed",
    reason: "ActionFailed",
    message: `${message}; but ${refusalInWords(error)}`,
  } as const;
  await report(steps, seen, failed, pass, signal).catch(() => undefined);
}

function next(action: Action, isRepeated: boolean): Outcome {
  const { message } = action;
  if (isEffective(action)) return { kind: "retry", afterMs: isRepeated ? REPEATED_MS : 0, why: message };
  const afterMs = action.kind === "hold" ? action.recheckAfterMs : undefined;
  return afterMs === undefined ? { kind: "wait", for: message } : { kind: "retry", afterMs, why: message };
}

function log({ logger }: Pass, action: Action, isRepeated: boolean): void {
  const { kind, reason, message } = action;
  const fields = { action: kind, reason };
  if (isRepeated && !isEffective(action)) logger.debug(fields, message);
  else logger.info(fields, message);
}

function changesObject({ kind }: Action): boolean {
  return kind === "add-finalizer" || kind === "remove-finalizer";
}

/** Whether an action changes anything. */
function isEffective({ kind }: Action): boolean {
  return kind !== "none" && kind !== "hold";
}
