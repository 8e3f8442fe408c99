import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { MARKER, suites } from "./fakes/fake-suites.ts";
import { runQuick } from "./quick.ts";
import { type Asked, type FaultsGiven, runFaults } from "./run-faults.ts";
import type { Finished } from "./score.ts";
import { UnknownNameError } from "./selection.ts";

const list = { suites, module: new URL("./fakes/fake-suites.ts", import.meta.url) };
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fault-runs-"));
  process.env[MARKER] = join(folder, "marker");
});
beforeEach(() => rm(join(folder, "marker"), { force: true }));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("a run of suites on virtual time", () => {
  let told = "";
  let finished: Finished;
  beforeAll(async () => {
    ({ told, finished } = await running({ suite: "mixed", seed: 7 }, { patienceMs: 3000 }));
  });

  const failuresOf = (name: string) => finished.score.results.find(({ plan }) => plan.name === name)?.failures;

  test("gives every plan a result, whatever becomes of the processes", () => {
    assert.equal(finished.score.results.length, 8);
    assert.deepEqual(finished.score.failed.map(({ plan }) => plan.name).sort(), [
      "exits/1",
      "fails/1",
      "hangs/1",
      "throws/1",
      "untold/1",
    ]);
    assert.equal(finished.score.failures, 5);
  });

  test("goes on behind a plan in which the suite threw, its process died or it hung", () => {
    for (const name of ["passes/1", "passes/2", "passes/3"]) assert.deepEqual(failuresOf(name), []);
  });

  test("says of each what became of it", () => {
    assert.match(String(failuresOf("throws/1")), /thrown by the suite/);
    assert.match(String(failuresOf("exits/1")), /exit code 3.*its last words/s);
    assert.match(String(failuresOf("hangs/1")), /it hangs: nothing came from its process for 3.0 s/);
    assert.match(String(failuresOf("untold/1")), /without a result/);
  });

  test("prints a failure at once, with what was wrong, the seed and the command that repeats it", () => {
    const expected = [
      "FAILED mixed/fails/1, SEED=7",
      "  - a pod is left",
      "  note: of a member",
      '  plan: {"suite":"mixed","name":"fails/1","seed":7,"workload":"fails"}',
      "  again: make faults ONLY='mixed/fails/1' SEED=7",
    ];
    assert.ok(told.includes(`${expected.join("\n")}\n`), told);
  });

  test("reports its progress", () => {
    assert.match(told, /^ 50 % 4 of 8 plans, \d failures, .*, mixed$/m);
    assert.match(told, /^100 % 8 of 8 plans, 5 failures, .*, mixed$/m);
  });
});

describe("a run of suites on a local mode", () => {
  test("runs the plans without a result again after its process died, which is a failure all the same", async () => {
    const { finished } = await running({ suite: "sick" });
    assert.deepEqual(
      finished.score.results.map(({ plan }) => plan.name),
      ["passes/1", "dies-once/1", "passes/2"],
    );
    assert.equal(finished.score.failed.length, 0);
    assert.match(String(finished.score.troubles.map(({ why }) => why)), /with 2 plans without a result.*exit code 4/);
  });

  test("gives a suite up that dies before its first result, and goes on with the next", async () => {
    const { told, finished } = await running({ suite: "dead,sick" });
    assert.deepEqual(
      finished.score.troubles.map(({ suite }) => suite),
      ["dead", "sick"],
    );
    assert.match(
      told,
      /FAILED dead, SEED=1\n.*with 2 plans without a result.*\n.*its last words\n {2}again: make faults SUITE=dead SEED=1/,
    );
  });

  test("lets a suite end what it has started when the run is interrupted", async () => {
    const interrupt = new AbortController();
    const out = heard((text) => text.includes(" 50 %") && interrupt.abort());
    const finished = await runFaults(asked({ suite: "endless" }), { list, out, signal: interrupt.signal });
    assert.ok(finished.isInterrupted);
    assert.equal(await readFile(join(folder, "marker"), "utf8"), "cleaned up");
    assert.equal(finished.score.failures, 0);
  });

  test("ends at the limit of its time, and counts what was not run as a failure", async () => {
    const { finished } = await running({ suite: "endless", limitMs: 3000 });
    assert.ok(!finished.isInterrupted);
    assert.match(String(finished.score.troubles.map(({ why }) => why)), /the limit of 3.0 s was reached/);
  });
});

describe("the planning of a run", () => {
  test("counts a suite that cannot be loaded, or whose plans cannot be repeated, as a failure", async () => {
    const { finished } = await running({ suite: "broken,twins" });
    assert.match(String(finished.score.troubles[0]?.why), /no plans: .*no such module/);
    assert.match(String(finished.score.troubles[1]?.why), /two plans are called passes\/1/);
  });

  test("leaves a suite out for which the machine lacks something, and says so", async () => {
    const { told, finished } = await running({ suite: "absent" });
    assert.match(told, /left out absent: no Go/);
    assert.equal(finished.score.failures, 0);
  });

  test("runs one plan where its full name is asked for", async () => {
    const { finished } = await running({ only: "well/passes/1" });
    assert.deepEqual(
      finished.score.results.map(({ plan }) => plan.name),
      ["passes/1"],
    );
  });

  test("refuses names that do not exist", async () => {
    await assert.rejects(running({ only: "well/fails" }), UnknownNameError);
  });
});

test("the quick part runs the suites on virtual time alone, and reports failures like a run", async () => {
  const some = suites.filter(({ name }) => ["well", "twins", "dead"].includes(name));
  const { plans, failures } = await runQuick({ ...list, suites: some });
  assert.equal(plans, 3);
  assert.match(failures.join("\n"), /^FAILED twins, SEED=1\n.*two plans are called/);
});

async function running(request: Partial<Asked>, given: Partial<FaultsGiven> = {}) {
  const lines: string[] = [];
  const out = heard((text) => lines.push(text));
  const finished = await runFaults(asked(request), { list, out, signal: new AbortController().signal, ...given });
  return { told: lines.join(""), finished };
}

function asked(request: Partial<Asked>): Asked {
  return { seed: 1, extent: "full", suite: "", only: "", limitMs: 60_000, ...request };
}

function heard(hear: (text: string) => unknown): FaultsGiven["out"] {
  return { write: hear };
}
