import { actAndReport, type Doing, FailingSince, report } from "./act-and-report.ts";
import type { Outcome } from "./outcome.ts";
import type { Pass, Reconcile } from "./pass.ts";
import type { Special, Steps } from "./reconcile-steps.ts";
import { type ActionOutcome, isEffective, type KindOfObject, type PlannedAction } from "./reconcile-steps.ts";
import { UndoneStatus } from "./undone-status.ts";

/** The same action again means that it had no effect: then there is no hurry. */
const REPEATED_MS = 1_000;

/** One reconcile, of any kind: observe, decide on one action, carry it out, then write the status and record Events. */
export function reconciler<K extends KindOfObject>(steps: Steps<K>, special: Special<K>): Reconcile {
  /** What the last reconcile of each object came to. */
  const lastSaid = new Map<string, string>();
  const failing = new FailingSince(steps.clock);
  const undone = new UndoneStatus(steps.clock, special.unsteadyFields);
  const forget = async (key: string) => {
    lastSaid.delete(key);
    undone.forget(key);
    failing.end(key);
    await special.forget?.(key);
  };

  return async (key, signal, pass) => {
    const seen = await steps.observe(key, pass, signal);
    if (!seen) {
      await forget(key);
      return { kind: "done" };
    }
    const doing: Doing<K> = { key, pass, signal, steps, special, failing, undone };
    const act = (picture: K["seen"], action: K["action"]) => actAndReport(doing, picture, action);
    const { picture, action, outcome, againMs = [] } = await special.attempt(seen, { key, pass, signal, act });
    const said = sentence(action, outcome);
    const isRepeated = lastSaid.get(key) === said;
    lastSaid.set(key, said);
    log(pass, action, outcome, isRepeated);
    const changed = special.changesObject?.(action) ?? false;
    const heldBackMs = changed ? 0 : (await report(doing, picture, action, outcome)).heldBackMs;
    if (heldBackMs === 0) await special.settle?.(seen, action);
    const recheckMs = soonest([special.recheckMs?.(seen), heldBackMs > 0 ? heldBackMs : undefined, ...againMs]);
    const rest = action.kind === "none" && recheckMs === undefined ? special.rest?.(seen) : undefined;
    return rest ?? next(action, outcome, isRepeated, recheckMs);
  };
}

function next(
  action: PlannedAction,
  outcome: ActionOutcome,
  isRepeated: boolean,
  recheckMs: number | undefined,
): Outcome {
  if (outcome.kind === "postponed") return { kind: "retry", afterMs: outcome.retryMs, why: outcome.why };
  const { message } = action;
  if (isEffective(action)) return { kind: "retry", afterMs: isRepeated ? REPEATED_MS : 0, why: message };
  const afterMs = soonest([action.recheckAfterMs, recheckMs]);
  return afterMs === undefined ? { kind: "wait", for: message } : { kind: "retry", afterMs, why: message };
}

function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((ms) => ms !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

function log({ logger }: Pass, action: PlannedAction, outcome: ActionOutcome, isRepeated: boolean): void {
  const { kind, reason, message } = action;
  const fields = { action: kind, reason, ...(outcome.kind === "postponed" && { postponed: outcome.why }) };
  const isNews = !isRepeated || (isEffective(action) && outcome.kind === "done");
  if (isNews) logger.info(fields, message);
  else logger.debug(fields, message);
}

function sentence({ kind, reason, message }: PlannedAction, outcome: ActionOutcome): string {
  return [kind, reason, message, outcome.kind === "postponed" ? outcome.why : ""].join("\0");
}
