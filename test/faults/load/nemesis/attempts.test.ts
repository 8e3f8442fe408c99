import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type Attempt, nothingDone, toldAttempts } from "./attempts.ts";

const plan = { tasks: ["scale"], troubles: ["kill", "freeze"], outages: [] } as const;
const worked = (of: Attempt["of"], step: string): Attempt => ({ of, step, hasWorked: true });
const failed = (of: Attempt["of"], step: string): Attempt => ({ of, step, hasWorked: false });

describe("a plan", () => {
  test("of whose every kind one step worked has done something", () => {
    assert.deepEqual(
      nothingDone(plan, [worked("tasks", "scale"), failed("troubles", "kill"), worked("troubles", "freeze")]),
      [],
    );
  });

  test("of whose troubles none worked has shown nothing", () => {
    const attempts = [worked("tasks", "scale"), failed("troubles", "kill"), worked("outages", "kill-operator")];
    assert.deepEqual(nothingDone(plan, attempts), ["none of its troubles worked: kill, freeze"]);
  });

  test("whose only trouble was a compaction has shown nothing", () => {
    const attempts = [worked("tasks", "scale"), failed("troubles", "kill"), worked("troubles", "compact")];
    assert.equal(nothingDone(plan, attempts).length, 1);
  });

  test("of which nothing was even tried has shown nothing", () => {
    assert.equal(nothingDone(plan, []).length, 2);
  });
});

test("how many of each worked is reported", () => {
  const attempts = [worked("troubles", "kill"), failed("troubles", "kill"), worked("tasks", "scale")];
  assert.equal(toldAttempts(attempts), "what worked: 1 of 2 kill, 1 of 1 scale");
});
