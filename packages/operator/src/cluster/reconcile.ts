import type { Outcome, Pass, Reconcile } from "@etcd-operator/controller-runtime";
import { isWorthTelling } from "@etcd-operator/controller-runtime";
import { type Acted, actAndTell, Failures, report } from "./act-and-report.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { type Stalled, StallMemory, stallOf } from "./model/stalls.ts";
import type { Decision } from "./plan.ts";
import type { Steps } from "./reconcile-steps.ts";
import { UndoneStatus } from "./status/undone-status.ts";

/** The same action again means that it had no effect: then there is no hurry. */
const REPEATED_MS = 1_000;

/** One pass over a cluster: look, decide on one thing, do it, and say what came of it. */
export function reconciler(given: Steps): Reconcile {
  /** What each cluster's last pass had to say. */
  const lastSaid = new Map<string, string>();
  const bars = new Map<string, Bar>();
  const failures = new Failures(given.clock);
  const stalls = new StallMemory(given.clock);
  const undone = new UndoneStatus(given.clock);

  return async (key, signal, pass) => {
    const { steps, undoneLeftMs } = pacedSteps(given, undone, key);
    const seen = await steps.observe(key, pass, signal);
    if (!seen) {
      lastSaid.delete(key);
      bars.delete(key);
      failures.end(key);
      stalls.forget(key);
      undone.forget(key);
      return { kind: "done" };
    }
    const own = stalls.of(key, seen.cluster.metadata.generation);
    const act: Hands["act"] = async (planned, action) => {
      try {
        const acted = await actAndTell(steps, planned, action, failures.of(key), pass, signal);
        if (isEffective(action)) own.noteOutcome(action, acted.outcome);
        return acted;
      } catch (error) {
        if (isWorthTelling(error) && !signal.aborted) own.noteFailure(action, error);
        throw error;
      }
    };
    const plan: Hands["plan"] = (planned) => {
      const decision = steps.plan(planned);
      const wanted = [decision.action, ...decision.passedOver];
      own.keepOnly(wanted);
      for (const stall of own.news(wanted)) tellOfStall(stall, steps, seen, pass);
      return decision;
    };
    const stalled = own.all();
    const { picture, action, outcome, bar } = await attempt({ ...seen, stalled }, bars.get(key), { plan, act });
    if (bar) bars.set(key, bar);
    else bars.delete(key);
    const said = sentence(action, outcome);
    const isRepeated = lastSaid.get(key) === said;
    lastSaid.set(key, said);
    log(pass, action, outcome, isRepeated);
    await report(steps, picture, action, outcome, pass, signal);
    const waiting = (picture.stalled ?? []).map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0);
    const againMs = [steps.recheckMs(seen), bar && bar.untilMs - seen.nowMs, undoneLeftMs(), ...waiting].filter(
      (ms) => ms !== undefined,
    );
    if (action.kind === "none" && againMs.length === 0 && steps.isAtRest(seen))
      return restFor(steps.longestRestMs(seen));
    return next(action, outcome, isRepeated, againMs.length > 0 ? Math.min(...againMs) : undefined);
  };
}

/** Steps that write no status again and again that others undo; and how long that is to wait. */
function pacedSteps(given: Steps, undone: UndoneStatus, key: string) {
  let leftMs = 0;
  const steps: Steps = {
    ...given,
    isWorthWriting: (old, next) => {
      if (!given.isWorthWriting(old, next)) return false;
      leftMs = undone.leftMs(key, next);
      return leftMs === 0;
    },
    writeStatus: async (cluster, status, pass, signal) => {
      const stored = await given.writeStatus(cluster, status, pass, signal);
      undone.noteWritten(key, status);
      return stored;
    },
  };
  return { steps, undoneLeftMs: () => (leftMs > 0 ? leftMs : undefined) };
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
async function attempt(seen: Observation, known: Bar | undefined, { plan, act }: Hands): Promise<Attempt> {
  const { generation } = seen.cluster.metadata;
  const bar = known && known.generation === generation && known.untilMs > seen.nowMs ? known : undefined;
  const barred = bar ? { ...seen, minorBarred: bar.why } : seen;
  const decision = plan(barred);
  const action = unlessStalled(decision.action, barred);
  const { outcome, picture } = await act(withWanted(barred, decision), action);
  if (bar || outcome.kind !== "postponed" || !outcome.barsMinor) return { picture, action, outcome, bar };
  const found = { why: outcome.why, untilMs: seen.nowMs + outcome.retryMs, generation };
  return attempt({ ...picture, stalled: seen.stalled ?? [] }, found, { plan, act });
}

interface Hands extends Pick<Steps, "plan"> {
  readonly act: (seen: Observation, action: Action) => Promise<Acted>;
}

/** What is not wanted any more has come right, or does not matter. */
function withWanted(seen: Observation, { action, passedOver }: Decision): Observation {
  const wanted = [action, ...passedOver].flatMap((each) => stallOf(each, seen) ?? []);
  return { ...seen, stalled: wanted };
}

/** What nothing may be done before is not done hotly either. */
function unlessStalled(action: Action, seen: Observation): Action {
  const stall = isEffective(action) ? stallOf(action, seen) : undefined;
  if (!stall || stall.leftMs === 0 || stall.came !== "without-effect") return action;
  const message = `${action.message}; ${stall.why}, so it is tried again less and less often`;
  return { kind: "hold", reason: action.reason, message, recheckAfterMs: stall.leftMs };
}

function tellOfStall({ message, why, came }: Stalled, { record }: Steps, { cluster }: Observation, { logger }: Pass) {
  const reason = "ActionStalled";
  logger.info({ reason, came }, `${message}: ${why}; it is tried again less and less often`);
  if (came !== "refused") record(cluster, { type: "Warning", reason, message: `${message}: ${why}` });
}

function restFor(atMostMs: number | undefined): Outcome {
  return { kind: "rest", ...(atMostMs !== undefined && { atMostMs }) };
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
