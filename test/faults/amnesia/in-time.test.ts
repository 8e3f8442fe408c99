import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type Attempt, playedInTime } from "./in-time.ts";

const plan = { suite: "amnesia", name: "a", seed: 1, workload: "w" };
const inTime: Attempt = { result: { plan, failures: [] }, isTooLate: false };
const tooLate: Attempt = { result: { plan, failures: [] }, isTooLate: true };

async function played(...attempts: readonly Attempt[]) {
  const asked: number[] = [];
  const { failures } = await playedInTime(async (attempt) => {
    asked.push(attempt);
    return attempts[attempt - 1] ?? assert.fail(`there is no attempt ${attempt}`);
  });
  return { asked, failures };
}

describe("a plan", () => {
  test("that meets its moment is played once", async () => {
    assert.deepEqual(await played(inTime), { asked: [1], failures: [] });
  });

  test("that misses its moment is played again", async () => {
    assert.deepEqual(await played(tooLate, tooLate, inTime), { asked: [1, 2, 3], failures: [] });
  });

  test("that never meets its moment has failed", async () => {
    const missed = { asked: [1, 2, 3], failures: ["the moment was missed 3 times"] };
    assert.deepEqual(await played(tooLate, tooLate, tooLate), missed);
  });

  test("that fails is not played again, whether it met its moment or not", async () => {
    const failures = ["a write is lost"];
    for (const isTooLate of [true, false]) {
      assert.deepEqual(await played({ result: { plan, failures }, isTooLate }), { asked: [1], failures });
    }
  });
});
