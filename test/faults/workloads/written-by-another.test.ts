import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { writtenByAnother } from "./written-by-another.ts";

describe("an operator that is started when all is done", () => {
  test("may take over, and write nothing", async () => {
    assert.deepEqual(await started({ writes: [], controllers: 3 }), []);
  });

  test("has failed when it writes", async () => {
    const told = await started({ writes: ["PUT etcdclusters/status"], controllers: 3 });
    assert.deepEqual(told, ["an operator that was started in the end wrote PUT etcdclusters/status"]);
  });

  test("has failed when not every controller of it has come to see everything", async () => {
    const told = await started({ writes: [], controllers: 2 });
    assert.deepEqual(told, ["an operator that was started in the end did not take over"]);
  });

  test("is shown what there is, whatever the one before it was shown", async () => {
    const steps: string[] = [];
    await started({ writes: [], controllers: 3, steps });
    assert.deepEqual(steps, ["truth", "crash"]);
  });
});

interface Given {
  readonly writes: readonly string[];
  readonly controllers: number;
  readonly steps?: string[];
}

/** One that follows another, which has written something and has watched, too. */
async function started({ writes, controllers, steps = [] }: Given) {
  const sent = ["POST pods"];
  const world = { watching: 3, showTruth: () => steps.push("truth"), crashOperator: () => steps.push("crash") };
  const pass = async () => {
    sent.push(...writes);
    world.watching += controllers;
  };
  return writtenByAnother(world, { pass }, { sent });
}
