import type { EtcdCluster, EtcdClusterStatus } from "../api/etcd-cluster.ts";
import { reasonOf } from "../controller/failure.ts";
import type { Outcome } from "../controller/outcome.ts";
import type { Pass, Reconcile } from "../controller/pass.ts";
import type { RecordedEvent } from "../kubernetes/event-recorder.ts";
import type { Stored } from "../kubernetes/kube-object.ts";
import type { Action, ActionOutcome } from "./action.ts";
import type { Observation } from "./observation.ts";

/** What a pass is made of; each step is a file of its own beside this one. */
export interface Steps {
  /** Undefined when there is nothing to look after: the cluster is gone, or not this operator's. */
  readonly observe: (key: string, pass: Pass, signal: AbortSignal) => Promise<Observation | undefined>;
  readonly plan: (seen: Observation) => Action;
  readonly act: (seen: Observation, action: Action, pass: Pass, signal: AbortSignal) => Promise<ActionOutcome>;
  readonly statusAfter: (seen: Observation, action: Action, outcome: ActionOutcome) => EtcdClusterStatus;
  readonly isWorthWriting: (old: EtcdClusterStatus | undefined, next: EtcdClusterStatus) => boolean;
  /** Fails when the cluster has changed since it was seen. */
  readonly writeStatus: (
    cluster: Stored<EtcdCluster>,
    status: EtcdClusterStatus,
    pass: Pass,
    signal: AbortSignal,
  ) => Promise<void>;
  readonly eventsOf: (
    seen: Observation,
    action: Action,
    outcome: ActionOutcome,
    status: EtcdClusterStatus,
  ) => readonly RecordedEvent[];
  readonly record: (cluster: Stored<EtcdCluster>, event: RecordedEvent) => void;
  /** When to look again though nothing happens, because time itself will change something. */
  readonly recheckMs: (seen: Observation) => number | undefined;
  /** Whether all is well, and whatever goes wrong next will show as an event. */
  readonly isAtRest: (seen: Observation) => boolean;
}

const DONE: ActionOutcome = { kind: "done" };
/** The same action again means that it had no effect: then there is no hurry. */
const REPEATED_MS = 1_000;

/** One pass over a cluster: look, decide on one thing, do it, and say what came of it. */
export function reconciler(steps: Steps): Reconcile {
  /** What each cluster's last pass had to say. */
  const lastSaid = new Map<string, string>();
  const bars = new Map<string, Bar>();

  return async (key, signal, pass) => {
    const seen = await steps.observe(key, pass, signal);
    if (!seen) {
      lastSaid.delete(key);
      bars.delete(key);
      return { kind: "done" };
    }
    const { picture, action, outcome, bar } = await attempt(steps, seen, bars.get(key), pass, signal);
    if (bar) bars.set(key, bar);
    else bars.delete(key);
    const said = sentence(action, outcome);
    const isRepeated = lastSaid.get(key) === said;
    lastSaid.set(key, said);
    log(pass, action, outcome, isRepeated);
    await report(steps, picture, action, outcome, pass, signal);
    const againMs = [steps.recheckMs(seen), bar && bar.untilMs - seen.nowMs].filter((ms) => ms !== undefined);
    if (action.kind === "none" && againMs.length === 0 && steps.isAtRest(seen)) return { kind: "rest" };
    return next(action, outcome, isRepeated, againMs.length > 0 ? Math.min(...againMs) : undefined);
  };
}

interface Attempt {
  /** What the action was planned from. */
  readonly picture: Observation;
  readonly action: Action;
  readonly outcome: ActionOutcome;
  readonly bar?: Bar | undefined;
}

/** What keeps members in their minor. It is believed for a while: finding out may cost etcd a look at all its data. */
interface Bar {
  readonly why: string;
  readonly untilMs: number;
  /** An edit of the spec may be what takes it away. */
  readonly generation: number | undefined;
}

/**
 * Plans and acts. Where it turns out that the members must not leave their minor, it does so once more as if their way to the next
 * were refused: nothing else waits for somebody to see to that.
 */
async function attempt(
  steps: Steps,
  seen: Observation,
  known: Bar | undefined,
  pass: Pass,
  signal: AbortSignal,
): Promise<Attempt> {
  const { generation } = seen.cluster.metadata;
  const bar = known && known.generation === generation && known.untilMs > seen.nowMs ? known : undefined;
  const picture = bar ? { ...seen, minorBarred: bar.why } : seen;
  const action = steps.plan(picture);
  const outcome = await steps.act(picture, action, pass, signal).catch(async (error: unknown) => {
    await tellOfFailure(action, error, (failed) => report(steps, picture, failed, DONE, pass, signal));
    throw error;
  });
  if (bar || outcome.kind !== "postponed" || !outcome.barsMinor) return { picture, action, outcome, bar };
  const found = { why: outcome.why, untilMs: seen.nowMs + outcome.retryMs, generation };
  return attempt(steps, seen, found, pass, signal);
}

/** The status is written before anybody hears of it: an intent that is not on record must have no consequence. */
async function report(
  steps: Steps,
  seen: Observation,
  action: Action,
  outcome: ActionOutcome,
  pass: Pass,
  signal: AbortSignal,
): Promise<void> {
  const { cluster } = seen;
  const status = steps.statusAfter(seen, action, outcome);
  if (steps.isWorthWriting(cluster.status, status)) await steps.writeStatus(cluster, status, pass, signal);
  for (const event of steps.eventsOf(seen, action, outcome, status)) steps.record(cluster, event);
}

/** What only the user or an administrator can mend is shown in the status; what passes by itself is not. */
const FOR_THE_USER = new Set(["forbidden", "invalid", "name-taken"]);

async function tellOfFailure(action: Action, error: unknown, tell: (hold: Action) => Promise<void>): Promise<void> {
  if (!(error instanceof Error) || !FOR_THE_USER.has(reasonOf(error))) return;
  const message = `${action.message}; but ${error.message}`;
  // When this fails too, the first failure is still the one to report.
  await tell({ kind: "hold", reason: "ActionFailed", message }).catch(() => undefined);
}

function next(action: Action, outcome: ActionOutcome, isRepeated: boolean, recheckMs: number | undefined): Outcome {
  if (outcome.kind === "postponed") return { kind: "retry", afterMs: outcome.retryMs, why: outcome.why };
  const { message } = action;
  if (isEffective(action)) return { kind: "retry", afterMs: isRepeated ? REPEATED_MS : 0, why: message };
  const recheckAfterMs = action.kind === "hold" ? action.recheckAfterMs : undefined;
  const afterMs = Math.min(recheckAfterMs ?? Number.POSITIVE_INFINITY, recheckMs ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(afterMs) ? { kind: "retry", afterMs, why: message } : { kind: "wait", for: message };
}

function log({ logger }: Pass, action: Action, outcome: ActionOutcome, isRepeated: boolean): void {
  const { kind, reason, message } = action;
  const fields = { action: kind, reason, ...(outcome.kind === "postponed" && { postponed: outcome.why }) };
  const isNews = !isRepeated || (isEffective(action) && outcome.kind === "done");
  if (isNews) logger.info(fields, message);
  else logger.debug(fields, message);
}

function sentence({ kind, reason, message }: Action, outcome: ActionOutcome): string {
  return [kind, reason, message, outcome.kind === "postponed" ? outcome.why : ""].join("\0");
}

/** Whether an action changes anything. */
function isEffective({ kind }: Action): boolean {
  return kind !== "none" && kind !== "hold";
}
