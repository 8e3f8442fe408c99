import assert from "node:assert/strict";
import { test } from "vitest";
import { tooLittleAnswered } from "./enough.ts";
import { PretendedRun, read, write } from "./pretended-run.ts";

test("a run whose clients were hardly answered shows nothing, however much they asked", () => {
  const run = new PretendedRun();
  for (let count = 0; count < 300; count += 1) run.loses(write(`lost-${count}`));
  for (let count = 0; count < 200; count += 1) run.does(read);
  assert.deepEqual(tooLittleAnswered(run.operations, 75_000), [
    "only 200 operations were answered, and there should be more than 200",
  ]);
  run.does(read);
  assert.deepEqual(tooLittleAnswered(run.operations, 75_000), []);
});
