import { wantedSize } from "../model/desired-size.ts";
import { hasQuorum } from "../model/quorum.ts";
import { isIdentified, type Rule, votersOf } from "../model/situation.ts";

/**
 * A learner that has caught up becomes a voter: not before its pod says whose data it holds, and not if it is one too
 * many.
 */
export const promoteLearner: Rule = (now) => {
  const { learners, voters } = now;
  if (voters.length >= wantedSize(now)) return undefined;
  const learner = learners.find(
    (member) => member.health === "healthy" && !member.pod?.isTerminating && isIdentified(member),
  );
  if (!learner || !hasQuorum(votersOf([...voters, learner]))) return undefined;
  const member = { name: learner.name, id: learner.etcd.id };
  return {
    kind: "promote-member",
    member,
    reason: "PromotingMember",
    message: `Promoting learner ${learner.name} to a voter`,
  };
};
