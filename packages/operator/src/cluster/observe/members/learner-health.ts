import type { AnswerSeen } from "../../model/observation.ts";

const UNCONFIRMED = "it is a learner, and no healthy voter confirms the leader that it names";

/**
 * The answers of all members, in which a learner is healthy only if a voter that has just read through a majority names
 * the same leader. By itself a learner proves nothing: it never campaigns, so it names a leader that is dead for as
 * long as its process lives.
 */
export function confirmedHealth(answers: readonly AnswerSeen[]): AnswerSeen[] {
  const voters = answers.filter(({ health, status }) => health === "healthy" && status?.isLearner === false);
  const leaders = new Set(voters.flatMap(({ status }) => status?.leaderId ?? []));
  return answers.map((answer) => {
    const { health, status } = answer;
    if (health !== "healthy" || !status?.isLearner || leaders.has(status.leaderId ?? "")) return answer;
    return { ...answer, health: "unhealthy", why: UNCONFIRMED };
  });
}
