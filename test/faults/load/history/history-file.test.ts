import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, test } from "vitest";
import { PretendedRun, read, remove, swap, write } from "../checks/pretended-run.ts";
import { keepHistory, keptHistory } from "./history-file.ts";

test("a history that was kept is the same when it is read again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "history-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const run = new PretendedRun();
  run.does(write("a1"), "a");
  run.does(swap("a1", "a2"), "a");
  run.does(read, "a");
  run.does(remove, "a");
  run.loses(write("a3"), "a");
  run.watched(1n);
  run.restore(new Map(), 3n);
  run.does(read, "a");
  const file = join(folder, "deep", "history.jsonl");
  await keepHistory(file, run);
  const kept = await keptHistory(file);
  assert.deepEqual(kept.operations.map(withoutAbsent), run.operations.map(withoutAbsent));
  assert.deepEqual(kept.watches.map(withoutAbsent), run.watches.map(withoutAbsent));
  assert.deepEqual(kept.epochs, run.epochs);
});

/** JSON does not distinguish an undefined property from a missing one. */
function withoutAbsent<Thing>(thing: Thing): unknown {
  return JSON.parse(JSON.stringify(thing, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
}
