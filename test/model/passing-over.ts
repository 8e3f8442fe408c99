import type { Action } from "@etcd-operator/operator/cluster/model/action.ts";
import type { PodSeen } from "@etcd-operator/operator/cluster/model/observation.ts";
import { keysOf, type Stalled } from "@etcd-operator/operator/cluster/model/stalls.ts";
import { decide } from "@etcd-operator/operator/cluster/plan.ts";
import { stalled as stalledAction } from "@etcd-operator/testing/cluster/stalled.ts";
import type { Planner } from "./pass.ts";
import { randomOf } from "./random.ts";

/** How often one and the same action is passed over, before it has its effect after all. */
const MOST_TIMES = 3;

/** Plans as if actions came to nothing every now and then, so that what is behind them acts first. */
export function passingOver(seed: number, chance: number): Planner {
  const random = randomOf(seed);
  const times = new Map<string, number>();
  return planWithout((action) => {
    const { content } = keysOf(action);
    const known = times.get(content) ?? 0;
    if (known >= MOST_TIMES || !random.chance(chance)) return false;
    times.set(content, known + 1);
    return true;
  });
}

/** Plans as if no action of a kind ever had an effect. */
export function passingOverAll(kind: Action["kind"]): Planner {
  return planWithout((action) => action.kind === kind);
}

/**
 * Plans as if nothing more of the log had reached any learner for as long as the operator has run, and etcd refused to
 * promote it.
 */
export function seeingLearnersStuck(planner: Planner): Planner {
  return (seen) => planner({ ...seen, pods: seen.pods.map(withoutLog) });
}

function withoutLog(pod: PodSeen): PodSeen {
  const { status } = pod.answer;
  if (!status?.isLearner || !status.log) return pod;
  return { ...pod, answer: { ...pod.answer, status: { ...status, log: { ...status.log, index: -1 } } } };
}

function planWithout(isSkipped: (action: Action) => boolean): Planner {
  return (seen) => {
    const stalled: Stalled[] = [];
    for (;;) {
      const { action, passedOver } = decide({ ...seen, stalled });
      const isEffective = action.kind !== "hold" && action.kind !== "none";
      const isKnown = stalled.some(({ key }) => key === keysOf(action).content);
      if (isEffective && !isKnown && isSkipped(action)) stalled.push(stalledAction(action, cameOf(action)));
      else return action.kind === "none" && passedOver.length > 0 ? waiting(passedOver) : action;
    }
  };
}

/** etcd says no to what it does not take; anything else is done and has no effect. */
function cameOf({ kind }: Action): Pick<Stalled, "came"> {
  return { came: kind === "promote-member" ? "refused" : "without-effect" };
}

function waiting(passedOver: readonly Action[]): Action {
  return { kind: "hold", reason: "ActionStalled", message: passedOver.map(({ message }) => message).join("; ") };
}
