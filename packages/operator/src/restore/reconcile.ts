import { isDeepStrictEqual } from "node:util";
import type { Outcome, Pass, Reconcile } from "@etcd-operator/controller-runtime";
import { isWorthTelling } from "@etcd-operator/controller-runtime";
import type { RecordedEvent } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import type { Action, ActionOutcome } from "./action.ts";
import type { Observation } from "./observation.ts";
import type { RestoreStatus } from "./status.ts";

/** What a pass is made of; each step is a file of its own beside this one. */
export interface Steps {
  /** Undefined when there is nothing to look after: the restore is gone, or not this operator's. */
  readonly observe: (key: string, pass: Pass, signal: AbortSignal) => Promise<Observation | undefined>;
  readonly plan: (seen: Observation) => Action;
  readonly act: (seen: Observation, action: Action, pass: Pass, signal: AbortSignal) => Promise<ActionOutcome>;
  readonly statusAfter: (seen: Observation, action: Action) => RestoreStatus;
  /** Fails when the restore has changed since it was seen. */
  readonly writeStatus: (seen: Observation, status: RestoreStatus, pass: Pass, signal: AbortSignal) => Promise<void>;
  readonly eventsOf: (seen: Observation, action: Action) => readonly RecordedEvent[];
  readonly record: (seen: Observation, event: RecordedEvent) => void;
  /** Calls off what is under way for a restore that is gone. */
  readonly forget: (key: string) => Promise<void>;
}

/** The same action again means that it had no effect: then there is no hurry. */
const REPEATED_MS = 1_000;

/** One pass over a restore: look, decide on one thing, do it, and say what came of it. */
export function reconciler(steps: Steps): Reconcile {
  /** What each restore's last pass had to say. */
  const lastSaid = new Map<string, string>();

  return async (key, signal, pass) => {
    const seen = await steps.observe(key, pass, signal);
    if (!seen) {
      lastSaid.delete(key);
      await steps.forget(key);
      return { kind: "done" };
    }
    const planned = steps.plan(seen);
    const outcome = await steps.act(seen, planned, pass, signal).catch(async (error: unknown) => {
      await tellOfFailure(planned, error, (hold) => report(steps, seen, hold, pass, signal));
      throw error;
    });
    const action = outcome.kind === "refused" ? refused(planned, outcome.why) : planned;
    const said = `${action.kind}\0${action.message}`;
    const isRepeated = lastSaid.get(key) === said;
    lastSaid.set(key, said);
    const fields = { action: action.kind, reason: action.reason };
    if (isRepeated) pass.logger.debug(fields, action.message);
    else pass.logger.info(fields, action.message);
    if (outcome.kind === "postponed") return { kind: "retry", afterMs: REPEATED_MS, why: outcome.why };
    await report(steps, seen, action, pass, signal);
    return next(action, isRepeated);
  };
}

/** The status is written before anybody hears of it. */
async function report(steps: Steps, seen: Observation, action: Action, pass: Pass, signal: AbortSignal): Promise<void> {
  const status = steps.statusAfter(seen, action);
  if (!isDeepStrictEqual(status, seen.restore.status ?? {})) await steps.writeStatus(seen, status, pass, signal);
  for (const event of steps.eventsOf(seen, action)) steps.record(seen, event);
}

function refused({ message }: Action, why: string): Action {
  return { kind: "fail", reason: "Refused", message: `${message}; but the API server does not accept it: ${why}` };
}

/** What was true before must not go on being said. */
async function tellOfFailure(action: Action, error: unknown, tell: (hold: Action) => Promise<void>): Promise<void> {
  if (!isWorthTelling(error)) return;
  const message = `${action.message}; but ${refusalInWords(error)}`;
  // When this fails too, the first failure is still the one to report.
  await tell({ kind: "obstructed", reason: "ActionFailed", message }).catch(() => undefined);
}

function next(action: Action, isRepeated: boolean): Outcome {
  const { message } = action;
  if (action.kind === "none") return { kind: "done" };
  if (action.kind !== "hold") return { kind: "retry", afterMs: isRepeated ? REPEATED_MS : 0, why: message };
  const { recheckAfterMs } = action;
  return recheckAfterMs === undefined
    ? { kind: "wait", for: message }
    : { kind: "retry", afterMs: recheckAfterMs, why: message };
}
