import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { passingOver, passingOverAll, seeingLearnersStuck } from "./passing-over.ts";
import { report } from "./report.ts";
import { EVENTS_PER_STORY, wander } from "./walk.ts";

describe("a walk in which actions come to nothing for a while, and are passed over where that is allowed", () => {
  test.each([4_000_000])(
    "breaks no promise in 5,000 steps from seed %i, and every cluster comes right when they have their effect",
    async (firstSeed) => {
      for (let taken = 0, seed = firstSeed; taken < 5_000; seed += 1) {
        const walk = await wander(seed, EVENTS_PER_STORY, passingOver(seed, 0.4));
        taken += walk.story.events.length;
        if (walk.why !== undefined) assert.fail(await report(seed, walk));
      }
    },
    300_000,
  );

  test("breaks no promise in 2,000 steps in which learners that are refused are replaced, and every cluster comes right", async () => {
    for (let taken = 0, seed = 5_000_000; taken < 2_000; seed += 1) {
      const walk = await wander(seed, EVENTS_PER_STORY, seeingLearnersStuck(passingOver(seed, 0.4)));
      taken += walk.story.events.length;
      if (walk.why !== undefined) assert.fail(await report(seed, walk));
    }
  }, 300_000);

  test("breaks no promise while etcd refuses every learner for ever, and each is replaced", async () => {
    for (let seed = 6_000_000; seed < 6_000_004; seed += 1) {
      const planner = seeingLearnersStuck(passingOverAll("promote-member"));
      const walk = await wander(seed, EVENTS_PER_STORY, planner, false);
      if (walk.why !== undefined) assert.fail(await report(seed, walk));
    }
  }, 300_000);

  test.each([
    "write-objects",
    "identify-members",
    "set-gates",
    "start-members",
    "restart-member",
    "promote-member",
    "remove-member",
    "delete-pods",
    "delete-claims",
    "align-claims",
    "move-leader",
    "set-downgrade",
    "force-snapshot",
    "declare-join",
    "add-member",
    "note-cluster",
    "record-logs",
    "patch-pods",
    "expand-claims",
    "create-backup",
  ] as const)(
    "breaks no promise while %s never has an effect",
    async (kind) => {
      for (let seed = 6_000_000; seed < 6_000_004; seed += 1) {
        const walk = await wander(seed, EVENTS_PER_STORY, passingOverAll(kind), false);
        if (walk.why !== undefined) assert.fail(await report(seed, walk));
      }
    },
    300_000,
  );
});
