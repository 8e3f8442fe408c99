import type { Attempt, KindOfObject, Reconcile, Round, Special, Steps } from "@etcd-operator/controller-runtime";
import { isEffective, isWorthTelling, reasonOf, reconciler } from "@etcd-operator/controller-runtime";
import type { RecordedEvent } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { type Stalled, StallMemory, type StallsOfOne, stallOf } from "./model/stalls.ts";
import type { Decision } from "./plan.ts";

export interface ClusterKind extends KindOfObject {
  seen: Observation;
  plan: Decision;
  action: Action;
  outcome: ActionOutcome;
  status: EtcdClusterStatus;
  event: RecordedEvent;
}

export interface ClusterSteps extends Steps<ClusterKind>, Required<Pick<Special<ClusterKind>, "recheckMs" | "rest">> {}

/** What fails for longer does not pass by itself within moments: a person may have to look. */
const LASTING_MS = 10_000;
/** What only the user or an administrator can mend. */
const FOR_THE_USER = new Set(["forbidden", "invalid", "name-taken"]);

/** One reconcile of an EtcdCluster. */
export function clusterReconciler(steps: ClusterSteps): Reconcile {
  const bars = new Map<string, Bar>();
  const stalls = new StallMemory(steps.clock);
  const { recheckMs, rest } = steps;
  return reconciler<ClusterKind>(steps, {
    async attempt(seen, round) {
      const { key } = round;
      const own = stalls.of(key, seen.cluster.metadata.generation);
      const stalled = own.all();
      const { bar, ...tried } = await attempt({ ...seen, stalled }, bars.get(key), handsOf(steps, seen, own, round));
      if (bar) bars.set(key, bar);
      else bars.delete(key);
      const waiting = (tried.picture.stalled ?? []).map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0);
      return { ...tried, againMs: bar ? [bar.untilMs - seen.nowMs, ...waiting] : waiting };
    },
    obstructed: (because) => ({ kind: "hold", ...because }),
    needsALook: (error, lastedMs) => FOR_THE_USER.has(reasonOf(error)) || lastedMs >= LASTING_MS,
    unsteadyFields: /Time$|^(revision|databaseSize|databaseSizeBytes)$/,
    recheckMs,
    rest,
    forget(key) {
      bars.delete(key);
      stalls.forget(key);
    },
  });
}

interface Hands {
  readonly plan: ClusterSteps["plan"];
  readonly act: Round<ClusterKind>["act"];
}

/** Plans and acts, and remembers what came to nothing. */
function handsOf(steps: ClusterSteps, seen: Observation, own: StallsOfOne, round: Round<ClusterKind>): Hands {
  return {
    async act(planned, action) {
      try {
        const acted = await round.act(planned, action);
        if (isEffective(action)) own.noteOutcome(action, acted.outcome);
        return acted;
      } catch (error) {
        if (isWorthTelling(error) && !round.signal.aborted) own.noteFailure(action, error);
        throw error;
      }
    },
    plan(planned) {
      const decision = steps.plan(planned);
      const wanted = [decision.action, ...decision.passedOver];
      own.keepOnly(wanted);
      for (const stall of own.news(wanted)) tellOfStall(stall, steps, seen, round.pass);
      return decision;
    },
  };
}

interface Tried extends Omit<Attempt<ClusterKind>, "againMs"> {
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
async function attempt(seen: Observation, known: Bar | undefined, { plan, act }: Hands): Promise<Tried> {
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

function tellOfStall(
  { message, why, came }: Stalled,
  { record }: ClusterSteps,
  seen: Observation,
  { logger }: Round<ClusterKind>["pass"],
): void {
  const reason = "ActionStalled";
  logger.info({ reason, came }, `${message}: ${why}; it is tried again less and less often`);
  if (came !== "refused") record(seen, { type: "Warning", reason, message: `${message}: ${why}` });
}
