import assert from "node:assert/strict";
import type { Pass } from "@etcd-operator/controller-runtime";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, pause } from "@etcd-operator/kubernetes-client";
import { aBackupSeen, aRun, succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import type { Action, Step } from "./action.ts";
import type { Observation } from "./observation.ts";
import { type BackupSteps, backupReconciler } from "./reconcile.ts";

const { signal } = new AbortController();
const { about } = aRun();
let seen: Observation | undefined;
let step: Step;
let isNews: boolean;
/** What happened, in order. */
let happened: string[];
/** What statuses were made for. */
let told: Action[];
let lines: Record<string, unknown>[];
let failing: string | undefined;
let failure: Error;
/** How long an action takes. */
let lastsMs: number;
let clock: FakeClock;
beforeEach(() => {
  [clock, lastsMs] = [new FakeClock(), 0];
  [seen, step, isNews, happened, lines, failing] = [aBackupSeen(), { kind: "none" }, true, [], [], undefined];
  [failure, told] = [new Error("it failed"), []];
});

const happens = (what: string) => {
  if (what === failing) throw failure;
  happened.push(what);
};
const steps: BackupSteps = {
  observe: async () => seen,
  plan: (): Action => ({ ...step, reason: "Running", message: "m" }),
  act: async (_, { kind }) => {
    happens(`act ${kind}`);
    if (lastsMs > 0) await pause(clock, lastsMs, signal);
    return { kind: "done" };
  },
  statusAfter: (_, action) => {
    told.push(action);
    return { succeeded: true };
  },
  isWorthWriting: () => isNews,
  writeStatus: async (now, status) => {
    happens("status");
    return { ...now, backup: { ...now.backup, status } };
  },
  eventsOf: () => [{ type: "Normal", reason: "BackupStarted", message: "" }],
  record: () => happens("event"),
  settle: async () => happens("settle"),
  forget: async () => happens("forget"),
  get clock() {
    return clock;
  },
};
const pass = () =>
  ({ mustReadLive: false, logger: createLogger({ write: (line) => lines.push(JSON.parse(line)) }) }) as unknown as Pass;

describe("a reconcile", () => {
  test("acts, writes the status, reports it, and only then forgets", async () => {
    step = { kind: "start-run", about };
    const outcome = await backupReconciler(steps)("prod/nightly", signal, pass());
    assert.deepEqual(happened, ["act start-run", "status", "event", "settle"]);
    assert.deepEqual(outcome, { kind: "retry", afterMs: 0, why: "m" });
  });

  test("writes no status that says nothing new", async () => {
    isNews = false;
    await backupReconciler(steps)("prod/nightly", signal, pass());
    assert.deepEqual(happened, ["act none", "event", "settle"]);
  });

  test("forgets nothing, and records no Event, when the status could not be written", async () => {
    step = { kind: "record-run", run: { about, state: { kind: "ended", outcome: succeeded() } } };
    failing = "status";
    await assert.rejects(backupReconciler(steps)("prod/nightly", signal, pass()), /it failed/);
    assert.deepEqual(happened, ["act record-run"]);
  });

  test.each(["forbidden", "unavailable", "timeout", "too-many-requests"] as const)(
    "whose action fails (%s) says so in the status, and fails",
    async (code) => {
      step = { kind: "clear-drill" };
      [failing, failure] = ["act clear-drill", new KubernetesError(code, { operation: "DELETE pods", message: "no" })];
      await assert.rejects(backupReconciler(steps)("prod/nightly", signal, pass()), { code });
      assert.deepEqual(happened, ["status", "event"]);
      assert.deepEqual([told[0]?.kind, told[0]?.reason], ["obstructed", "ActionFailed"]);
      assert.match(String(told[0]?.message), /^m; but /);
    },
  );

  test("whose object another client wrote first leaves the status to the next", async () => {
    step = { kind: "add-finalizer" };
    [failing, failure] = ["act add-finalizer", new KubernetesError("conflict", { operation: "PATCH", message: "no" })];
    await assert.rejects(backupReconciler(steps)("prod/nightly", signal, pass()), { code: "conflict" });
    assert.deepEqual(happened, []);
  });

  test.each(["add-finalizer", "remove-finalizer"] as const)(
    "writes no status after %s: the object has changed",
    async (kind) => {
      step = { kind };
      await backupReconciler(steps)("prod/nightly", signal, pass());
      assert.deepEqual(happened, [`act ${kind}`, "settle"]);
    },
  );

  test("waits for what it holds for, or until the time that was named", async () => {
    const reconcile = backupReconciler(steps);
    step = { kind: "hold" };
    assert.deepEqual(await reconcile("prod/nightly", signal, pass()), { kind: "wait", for: "m" });
    step = { kind: "hold", recheckAfterMs: 700 };
    assert.deepEqual(await reconcile("prod/nightly", signal, pass()), { kind: "retry", afterMs: 700, why: "m" });
  });

  test("is in no hurry when the last one did the same", async () => {
    const reconcile = backupReconciler(steps);
    step = { kind: "drop-run" };
    await reconcile("prod/nightly", signal, pass());
    const again = await reconcile("prod/nightly", signal, pass());
    assert.deepEqual(again, { kind: "retry", afterMs: 1_000, why: "m" });
  });

  test("logs what it waits for once", async () => {
    const reconcile = backupReconciler(steps);
    step = { kind: "hold" };
    for (let count = 0; count < 3; count += 1) await reconcile("prod/nightly", signal, pass());
    assert.equal(lines.length, 1);
  });

  test("over nothing ends what was under way for it", async () => {
    seen = undefined;
    assert.deepEqual(await backupReconciler(steps)("prod/nightly", signal, pass()), { kind: "done" });
    assert.deepEqual(happened, ["forget"]);
  });

  test("whose action hangs says so in the status meanwhile", async () => {
    [step, lastsMs] = [{ kind: "clear-drill" }, 6_000];
    const passing = backupReconciler(steps)("prod/nightly", signal, pass());
    await clock.advance(5_000);
    assert.deepEqual(happened, ["act clear-drill", "status", "event"]);
    assert.equal(told[0]?.message, "m; but there was no answer for 5 s");
    await clock.advance(1_000);
    await passing;
    assert.deepEqual(happened.slice(3), ["status", "event", "settle"]);
  });

  test("writes no status beside a change of the object, which would fail then", async () => {
    [step, lastsMs] = [{ kind: "add-finalizer" }, 6_000];
    const passing = backupReconciler(steps)("prod/nightly", signal, pass());
    await clock.advance(6_000);
    await passing;
    assert.deepEqual(happened, ["act add-finalizer", "settle"]);
  });

  test("forgets nothing while its status is held back, because another client undoes it", async () => {
    const reconcile = backupReconciler(steps);
    step = { kind: "hold" };
    for (let count = 0; count < 2; count += 1) await reconcile("prod/nightly", signal, pass());
    happened.length = 0;
    assert.deepEqual(await reconcile("prod/nightly", signal, pass()), { kind: "retry", afterMs: 2_000, why: "m" });
    assert.deepEqual(happened, ["act hold", "event"]);
  });
});
