import assert from "node:assert/strict";
import { onAbort } from "@etcd-operator/kubernetes-client";
import { aRun, failed, succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, test } from "vitest";
import type { RunAbout, RunOutcome, RunProgress } from "./observation.ts";
import { Runs, type Work } from "./runs.ts";

const { about } = aRun();
let clock: FakeClock;
let runs: Runs<RunAbout, RunOutcome, RunProgress>;
let woken: string[];
/** What the test can do to the run of a key. */
let hands: Map<string, { report: (progress: RunProgress) => void; end: (outcome: RunOutcome | Error) => void }>;
let aborted: string[];

beforeEach(() => {
  clock = new FakeClock();
  const unexpected = (error: unknown, endedAtMs: number) => failed({ endedAtMs, message: String(error) });
  runs = new Runs({ clock, atOnce: 2, failed: unexpected });
  [woken, hands, aborted] = [[], new Map(), []];
  runs.source((key) => woken.push(key));
});

function start(key: string, { isStubborn = false } = {}): void {
  const work: Work<RunOutcome, RunProgress> = ({ signal, report }) =>
    new Promise((resolve, reject) => {
      hands.set(key, { report, end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) });
      onAbort(signal, () => {
        aborted.push(key);
        if (!isStubborn) reject(new Error("called off"));
      });
    });
  runs.start(key, { ...about, uid: key }, work);
}

test("what was started is seen until it is dropped, with what it was started for", async () => {
  assert.equal(runs.seen("a"), undefined);
  start("a");
  assert.deepEqual(runs.seen("a"), { about: { ...about, uid: "a" }, state: { kind: "running", progress: undefined } });
  hands.get("a")?.end(succeeded());
  await clock.advance(0);
  assert.deepEqual(runs.seen("a")?.state, { kind: "ended", outcome: succeeded() });
  assert.deepEqual(woken, ["a"]);
  await runs.drop("a");
  assert.equal(runs.seen("a"), undefined);
});

test("two are at work at a time, and the third waits for its turn", async () => {
  for (const key of ["a", "b", "c"]) start(key);
  assert.deepEqual(runs.seen("c")?.state, { kind: "queued" });
  hands.get("a")?.end(failed());
  await clock.advance(0);
  assert.equal(runs.seen("c")?.state.kind, "running");
});

test("work that throws has failed, and may be tried again", async () => {
  start("a");
  hands.get("a")?.end(new Error("a bug"));
  await clock.advance(0);
  const outcome = failed({ endedAtMs: clock.now(), message: "Error: a bug" });
  assert.deepEqual(runs.seen("a")?.state, { kind: "ended", outcome });
});

test("its progress is shown at once, and then every five seconds", async () => {
  start("a");
  const shown: (number | undefined)[] = [];
  const look = () => {
    const { state } = runs.seen("a") ?? {};
    const bytes = state?.kind === "running" ? state.progress?.bytes : undefined;
    if (shown.at(-1) !== bytes) shown.push(bytes);
  };
  for (let bytes = 0; bytes < 120; bytes += 1) {
    hands.get("a")?.report({ step: "Streaming", bytes });
    look();
    await clock.advance(100);
  }
  await clock.advance(5_000);
  look();
  assert.deepEqual(shown, [0, 49, 99, 119]);
  assert.equal(woken.length, 4);
  await clock.advance(60_000);
  assert.equal(woken.length, 4);
  hands.get("a")?.report({ step: "Checking" });
  assert.deepEqual(runs.seen("a")?.state, { kind: "running", progress: { step: "Checking" } });
  hands.get("a")?.end(succeeded());
  await clock.advance(0);
  assert.deepEqual(clock.pendingMs, [], "no timer is left behind");
});

test("what the next process has to know is shown at once", async () => {
  const isNews = (progress: RunProgress, shown: RunProgress | undefined) => progress.path !== shown?.path;
  runs = new Runs({ clock, atOnce: 2, failed: () => failed(), isNews });
  start("a");
  const shown = () => {
    const { state } = runs.seen("a") ?? {};
    return state?.kind === "running" ? state.progress : undefined;
  };
  hands.get("a")?.report({ step: "Opening" });
  hands.get("a")?.report({ step: "Asking" });
  assert.deepEqual(shown(), { step: "Opening" });
  hands.get("a")?.report({ step: "Streaming", path: "bucket/key" });
  hands.get("a")?.report({ step: "Checking", path: "bucket/key" });
  assert.deepEqual(shown(), { step: "Streaming", path: "bucket/key" });
  await clock.advance(5_000);
  assert.deepEqual(shown(), { step: "Checking", path: "bucket/key" });
  hands.get("a")?.end(succeeded());
  await clock.advance(0);
  assert.deepEqual(clock.pendingMs, [], "no timer is left behind");
});

test("a run that waits until its progress is recorded continues when a reconcile has written it", async () => {
  const before = { step: "Asking" };
  const told: string[] = [];
  const stop = new AbortController();
  runs.start("a", about, async ({ report, recorded, signal }) => {
    report(before);
    await recorded({ step: "Streaming", path: "bucket/key" }, signal);
    told.push("recorded");
    await recorded({ step: "Streaming", path: "bucket/other" }, stop.signal).catch(() => told.push("called off"));
    return succeeded();
  });
  const pass = async (seen = runs.seen("a")) => {
    if (seen) runs.written("a", seen);
    await clock.advance(5_000);
    return told;
  };
  assert.deepEqual(await pass({ about, state: { kind: "running", progress: before } }), []);
  assert.deepEqual(await pass(), ["recorded"]);
  stop.abort();
  assert.deepEqual(await pass(), ["recorded", "called off"]);
});

test("a dropped run is cancelled; one that does not stop is not waited for for ever", async () => {
  start("a");
  await runs.drop("a");
  assert.deepEqual([aborted, runs.seen("a")], [["a"], undefined]);
  start("b", { isStubborn: true });
  let isDropped = false;
  const dropping = runs.drop("b").then(() => {
    isDropped = true;
  });
  await clock.advance(4_999);
  assert.equal(isDropped, false);
  await clock.advance(1);
  await dropping;
  assert.deepEqual([aborted, clock.pendingMs, woken], [["a", "b"], [], []]);
});

test("closing calls all off and lets nothing begin", async () => {
  for (const key of ["a", "b", "c"]) start(key);
  await runs.close();
  start("d");
  assert.deepEqual([aborted, runs.seen("d"), clock.pendingMs], [["a", "b"], undefined, []]);
});
