import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { failuresOf, type Judged } from "./judge.ts";

const RIGHT: Judged = {
  missing: [],
  violations: [],
  endState: ["pods/a.spec.size = 3", "services/a.spec.port = 2379"],
  comingsAndGoings: ["pods/a-* created 3 times"],
  lateFounders: 0,
};

describe("the judgement of a run", () => {
  test("finds nothing wrong with one that ended as the run without faults", () => {
    assert.deepEqual(failuresOf(RIGHT, { ...RIGHT }), []);
  });

  test.each<[string, Partial<Judged>, readonly string[]]>([
    ["did what must never happen", { violations: ["two leaders"] }, ["two leaders"]],
    ["was not done", { missing: ["no backup"], endState: [] }, ["not done: no backup"]],
    [
      "made one pod more",
      { comingsAndGoings: ["pods/a-* created 4 times"] },
      ["missing: pods/a-* created 3 times", "unexpected: pods/a-* created 4 times"],
    ],
    [
      "left something behind",
      { endState: [...RIGHT.endState, "secrets/a.type = x"] },
      ["unexpected: secrets/a.type = x"],
    ],
    ["lacks something", { endState: RIGHT.endState.slice(1) }, ["missing: pods/a.spec.size = 3"]],
  ])("tells of one that %s", (_, change, failures) => {
    assert.deepEqual(failuresOf(RIGHT, { ...RIGHT, ...change }), failures);
  });

  test("lets another member replace an initial member that was late", () => {
    const run = { ...RIGHT, comingsAndGoings: ["pods/a-* created 4 times", "pods/a-* deleted 1 times"] };
    assert.deepEqual(failuresOf(RIGHT, { ...run, lateFounders: 1 }), []);
    assert.equal(failuresOf(RIGHT, run).length, 3);
  });

  test.each<Partial<Judged>>([{ violations: ["two leaders"] }, { missing: ["no backup"] }])(
    "measures nothing by a run without faults that is wrong itself: %o",
    (change) => {
      const wrong = { ...RIGHT, ...change };
      assert.match(failuresOf(wrong, wrong).join(), /^even where nothing goes wrong: (two leaders|no backup)$/);
    },
  );
});
