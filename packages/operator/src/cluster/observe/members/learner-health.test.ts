import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { AnsweredStatus, AnswerSeen, Health } from "../../model/observation.ts";
import { confirmedHealth } from "./learner-health.ts";

function answer(health: Health, leaderId: string | undefined, isLearner = false): AnswerSeen {
  return { health, status: { leaderId, isLearner } as AnsweredStatus };
}

describe("a learner that names a leader", () => {
  test.each<[string, readonly AnswerSeen[], Health]>([
    ["is healthy when a healthy voter names the same", [answer("healthy", "a")], "healthy"],
    ["is not when no voter answers", [], "unhealthy"],
    ["is not when the voters that answer have no leader", [answer("unhealthy", undefined)], "unhealthy"],
    ["is not when a voter names it that reads through no majority", [answer("unhealthy", "a")], "unhealthy"],
    ["is not when the majority has another leader by now", [answer("healthy", "b")], "unhealthy"],
    ["is not on the word of another learner", [answer("healthy", "a", true)], "unhealthy"],
  ])("%s", (_, others, expected) => {
    const [learner] = confirmedHealth([answer("healthy", "a", true), ...others]);
    assert.equal(learner?.health, expected);
  });

  test("leaves what voters answered as it is", () => {
    const voters = [answer("healthy", "a"), answer("unhealthy", undefined), { health: "unknown" } as const];
    assert.deepEqual(confirmedHealth(voters), voters);
  });
});
