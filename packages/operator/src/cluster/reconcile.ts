import type { Attempt, KindOfObject, Reconcile, Round, Special, Steps } from "@etcd-operator/controller-runtime";
import { isEffective, isWorthTelling, reasonOf, reconciler } from "@etcd-operator/controller-runtime";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { type Stalled, StallMemory, type StallsOfOne, stallOf } from "./model/stalls.ts";
import type { Decision } from "./plan.ts";
import { type ClusterEvent, clusterEvent } from "./reasons.ts";
import { MinorBars } from "./rollout/minor-bars.ts";

export interface ClusterKind extends KindOfObject {
  seen: Observation;
  plan: Decision;
  action: Action;
  outcome: ActionOutcome;
  status: EtcdClusterStatus;
  event: ClusterEvent;
}

export interface ClusterSteps extends Steps<ClusterKind>, Required<Pick<Special<ClusterKind>, "recheckMs" | "rest">> {}

/** What fails for longer does not pass by itself within moments: a person may have to look. */
const LASTING_MS = 10_000;
/** What only the user or an administrator can fix. */
const FOR_THE_USER = new Set(["forbidden", "invalid", "name-taken"]);

/** One reconcile of an EtcdCluster. */
export function clusterReconciler(steps: ClusterSteps): Reconcile {
  const minorBars = new MinorBars();
  const stalls = new StallMemory(steps.clock);
  const { recheckMs, rest } = steps;
  return reconciler<ClusterKind>(steps, {
    async attempt(seen, round) {
      const { key } = round;
      const own = stalls.of(key, seen.cluster.metadata.generation);
      const stalled = own.all();
      const hands = handsOf(steps, seen, own, round);
      const first = await attempt({ ...minorBars.recall(key, seen), stalled }, hands);
      // Nothing else waits until the members may leave their minor, so it is planned again without that.
      const barred = minorBars.learn(key, first.picture, first.outcome);
      const tried = barred ? await attempt({ ...barred, stalled }, hands) : first;
      const waiting = (tried.picture.stalled ?? []).map(({ leftMs }) => leftMs).filter((leftMs) => leftMs > 0);
      return { ...tried, againMs: [...minorBars.againMs(key, seen), ...waiting] };
    },
    obstructed: (because) => ({ kind: "hold", ...because }),
    needsALook: (error, lastedMs) => FOR_THE_USER.has(reasonOf(error)) || lastedMs >= LASTING_MS,
    unsteadyFields: /Time$|^(revision|databaseSize|databaseSizeBytes)$/,
    recheckMs,
    rest,
    forget(key) {
      minorBars.forget(key);
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

type Tried = Omit<Attempt<ClusterKind>, "againMs">;

/** Plans, and carries out what was planned. */
async function attempt(seen: Observation, { plan, act }: Hands): Promise<Tried> {
  const decision = plan(seen);
  const action = unlessStalled(decision.action, seen);
  return { action, ...(await act(withWanted(seen, decision), action)) };
}

/** A stall of an action that is not planned any more is over, or does not matter. */
function withWanted(seen: Observation, { action, passedOver }: Decision): Observation {
  const wanted = [action, ...passedOver].flatMap((each) => stallOf(each, seen) ?? []);
  return { ...seen, stalled: wanted };
}

/** What nothing may be done before is not done hotly either. */
function unlessStalled(action: Action, seen: Observation): Action {
  const stall = isEffective(action) ? stallOf(action, seen) : undefined;
  if (!stall || stall.leftMs === 0 || stall.came !== "without-effect") return action;
  const message = `${action.message}; ${stall.why}, retrying with increasing delay`;
  return { kind: "hold", reason: action.reason, message, recheckAfterMs: stall.leftMs };
}

function tellOfStall(
  { message, why, came }: Stalled,
  { record }: ClusterSteps,
  seen: Observation,
  { logger }: Round<ClusterKind>["pass"],
): void {
  const reason = "ActionStalled";
  logger.info({ reason, came }, `${message}: ${why}; retrying with increasing delay`);
  if (came !== "refused") record(seen, clusterEvent(reason, `${message}: ${why}`));
}
