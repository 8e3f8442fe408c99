import { isBeingSpread } from "../membership/rebalance.rule.ts";
import { alarmInTheWay, isSettled, outdatedVoters } from "../rollout/outdated.rule.ts";
import { isStarted, type Situation } from "./situation.ts";

/**
 * How many members there should be now: one more while a new one is added before an outdated one is removed, or one
 * that shares a node.
 */
export function wantedSize(now: Situation): number {
  const { spec, voters, listed, intents } = now;
  // Without learners the new one is a voter before it has started.
  // From a spec that is not valid nothing new is made.
  const isFull = now.seen.problems.length === 0 && voters.filter(isStarted).length === spec.size;
  if (!isFull) return spec.size;
  const outdated = outdatedVoters(now);
  if (!outdated.some(({ change }) => change.kind === "member")) {
    return outdated.length === 0 && isBeingSpread(now) ? spec.size + 1 : spec.size;
  }
  const isSomeoneComing = listed.some((member) => !isStarted(member) || member.etcd.isLearner) || intents.length > 0;
  return isSomeoneComing || (voters.every(isSettled) && !alarmInTheWay(now)) ? spec.size + 1 : spec.size;
}
