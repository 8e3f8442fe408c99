import assert from "node:assert/strict";
import { onAbort } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { BackgroundRuns, type RunContext } from "./background-runs.ts";

let clock: FakeClock;
let runs: BackgroundRuns<string, number>;
let woken: string[];
/** Ends the run of a name. */
let finish: Map<string, (result: string | Error) => void>;
let reports: Map<string, (progress: number) => void>;
let aborted: string[];

beforeEach(() => {
  clock = new FakeClock();
  runs = new BackgroundRuns({ atOnce: 2, progressMs: 1_000, clock });
  woken = [];
  [finish, reports, aborted] = [new Map(), new Map(), []];
  runs.source((key) => woken.push(key));
});

function start(key: string, name = "copy"): void {
  runs.start(key, name, ({ signal, report }: RunContext<number>) => {
    reports.set(key, report);
    return new Promise((resolve, reject) => {
      finish.set(key, (result) => (result instanceof Error ? reject(result) : resolve(result)));
      onAbort(signal, () => {
        aborted.push(key);
        reject(new Error("called off"));
      });
    });
  });
}

describe("a run", () => {
  test("is known by its name, wakes its key when it ends, and keeps its result until it is dropped", async () => {
    assert.equal(runs.stateOf("a", "copy"), undefined);
    start("a");
    assert.deepEqual(runs.stateOf("a", "copy"), { kind: "running", progress: undefined });
    finish.get("a")?.("done");
    await clock.advance(0);
    assert.deepEqual(runs.stateOf("a", "copy"), { kind: "ended", result: "done" });
    assert.deepEqual(woken, ["a"]);
    await runs.drop("a");
    assert.equal(runs.stateOf("a", "copy"), undefined);
  });

  test("that fails says with what, and is not started again by itself", async () => {
    const failure = new Error("no");
    start("a");
    finish.get("a")?.(failure);
    await clock.advance(0);
    start("a");
    assert.deepEqual(runs.stateOf("a", "copy"), { kind: "failed", error: failure });
    assert.deepEqual(woken, ["a"]);
  });

  test("that throws at once has failed, and frees its place", async () => {
    for (const key of ["a", "b", "c"]) runs.start(key, "copy", async () => assert.fail("at once"));
    await clock.advance(0);
    assert.deepEqual(
      ["a", "b", "c"].map((key) => runs.stateOf(key, "copy")?.kind),
      ["failed", "failed", "failed"],
    );
  });

  test("wakes its key with its progress, but not all the time", async () => {
    start("a");
    for (let bytes = 1; bytes <= 50; bytes += 1) {
      reports.get("a")?.(bytes);
      await clock.advance(100);
    }
    assert.equal(woken.length, 5);
    assert.deepEqual(runs.stateOf("a", "copy"), { kind: "running", progress: 50 });
    finish.get("a")?.("done");
    await clock.advance(0);
    assert.deepEqual(clock.pendingMs, [], "no timer is left behind");
  });

  test("waits for its turn when enough others are under way", async () => {
    for (const key of ["a", "b", "c", "d"]) start(key);
    assert.deepEqual(runs.stateOf("c", "copy"), { kind: "queued" });
    finish.get("b")?.("done");
    await clock.advance(0);
    assert.equal(runs.stateOf("c", "copy")?.kind, "running");
    assert.equal(runs.stateOf("d", "copy")?.kind, "queued");
  });

  test("that takes long keeps others waiting for so long, and no longer", async () => {
    runs = new BackgroundRuns({ atOnce: 2, patienceMs: 10_000, clock });
    for (const key of ["a", "b"]) start(key);
    await clock.advance(4_000);
    for (const key of ["c", "d", "e"]) start(key);
    const running = () => ["a", "b", "c", "d", "e"].filter((key) => runs.stateOf(key, "copy")?.kind === "running");
    await clock.advance(5_999);
    assert.deepEqual(running(), ["a", "b"]);
    await clock.advance(1);
    assert.deepEqual(running(), ["a", "b", "c", "d"], "they have not ended, but do not count any more");
    finish.get("a")?.("done");
    await clock.advance(0);
    assert.equal(runs.stateOf("e", "copy")?.kind, "queued", "who did not count frees nothing");
    finish.get("c")?.("done");
    await clock.advance(0);
    assert.equal(runs.stateOf("e", "copy")?.kind, "running");
    assert.deepEqual(clock.pendingMs, [], "no timer is left behind");
  });

  test("that is dropped is aborted, wakes no key, and makes room", async () => {
    for (const key of ["a", "b", "c"]) start(key);
    await runs.drop("a");
    await runs.drop("unknown");
    assert.deepEqual(aborted, ["a"]);
    assert.deepEqual(woken, []);
    assert.equal(runs.stateOf("c", "copy")?.kind, "running");
  });

  test("is dropped alone when it is named, and with all others of its key when not", async () => {
    runs = new BackgroundRuns({ atOnce: 5, clock });
    for (const name of ["one", "two", "three"]) start("a", name);
    await runs.drop("a", "two");
    assert.deepEqual(
      ["one", "two", "three"].map((name) => runs.stateOf("a", name)?.kind),
      ["running", undefined, "running"],
    );
    await runs.drop("a");
    assert.equal(runs.stateOf("a", "one"), undefined);
    assert.equal(aborted.length, 3);
  });
});

test("closing ends everything, waits for it, and lets nothing begin", async () => {
  runs = new BackgroundRuns({ atOnce: 2, patienceMs: 10_000, clock });
  for (const key of ["a", "b", "c"]) start(key);
  await runs.close();
  assert.deepEqual(clock.pendingMs, []);
  assert.deepEqual(aborted, ["a", "b"]);
  start("d");
  assert.equal(runs.stateOf("d", "copy"), undefined);
  assert.deepEqual(woken, []);
});
