import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { onTestFinished, test } from "vitest";
import { writeResults } from "./results-file.ts";
import { type Finished, Score } from "./score.ts";

test("results are kept as JSON, those of a single plan beside those of all", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fault-results-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const score = new Score();
  const plan = { suite: "writes", name: "create/1", seed: 2, workload: "create" };
  score.add({ plan, failures: ["a pod is left"], convergenceMs: 5, tookMs: 7 });
  const finished: Finished = { planned: [], score, tookMs: 9, isInterrupted: false };

  const all = await writeResults(join(folder, "new"), { seed: 2, suite: "", only: "" }, finished);
  const one = await writeResults(folder, { seed: 2, suite: "", only: "writes/create/1" }, finished);

  assert.deepEqual([basename(all), basename(one)], ["all-seed-2.json", "writes-create-1-seed-2.json"]);
  assert.deepEqual(JSON.parse(await readFile(all, "utf8")), {
    seed: 2,
    tookMs: 9,
    isInterrupted: false,
    plans: 1,
    failures: 1,
    suites: [],
    troubles: [],
    results: [{ plan, failures: ["a pod is left"], convergenceMs: 5, tookMs: 7 }],
  });
});
