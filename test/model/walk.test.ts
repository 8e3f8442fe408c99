import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { report } from "./report.ts";
import { EVENTS_PER_STORY, wander } from "./walk.ts";

describe("a walk through all that can happen", () => {
  // Far apart, because each cluster takes the next seed.
  test.each([1, 2, 3].map((number) => number * 1_000_000))(
    "breaks no promise in 10,000 steps from seed %i, and every cluster comes right when it is left alone",
    async (firstSeed) => {
      for (let taken = 0, seed = firstSeed; taken < 10_000; seed += 1) {
        const walk = await wander(seed, EVENTS_PER_STORY);
        taken += walk.story.events.length;
        if (walk.why !== undefined) assert.fail(await report(seed, walk));
      }
    },
    300_000,
  );
});
