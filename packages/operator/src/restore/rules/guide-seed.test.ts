import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import { NO_RUNS } from "@etcd-operator/testing/restore/a-ready-restore.ts";
import {
  aRestoreSeen,
  aSeed,
  NOW_MS,
  REQUEST,
  type RestoreGiven,
  SAFETY,
  SAVED,
  SNAPSHOT,
  VERIFIED,
} from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import type { Action } from "../action.ts";
import { plan } from "../plan.ts";
import { statusAfter } from "../status.ts";

const MINUTE_MS = 60_000;
const asked = {
  phase: "Restoring" as const,
  snapshot: SNAPSHOT,
  safetySnapshot: SAFETY,
  conditions: [VERIFIED, SAVED],
};

function planFor(given: RestoreGiven): Action {
  return plan(aRestoreSeen({ state: "Restoring", request: REQUEST, status: asked, ...given }));
}

/** What is planned when the step that it is at has gone on for so long. */
function afterMinutes(minutes: number, given: RestoreGiven): Action {
  const held = planFor(given);
  const seen = aRestoreSeen({ state: "Restoring", request: REQUEST, status: asked, ...given });
  const { progress } = statusAfter(seen, held);
  assert.ok(progress);
  const startedAt = rfc3339(NOW_MS - minutes * MINUTE_MS);
  return planFor({ ...given, status: { ...asked, progress: { ...progress, startedAt } } });
}

describe("the snapshot", () => {
  test("is sent when the pod waits for it, and its store is opened while that starts", () => {
    assert.equal(planFor({ seed: aSeed() }).kind, "push");
    assert.equal(planFor({ seed: aSeed({ receive: "waiting" }) }).kind, "push");
    for (const receive of ["succeeded", "failed"] as const) {
      assert.equal(planFor({ seed: aSeed({ receive }) }).kind, "hold");
    }
    assert.equal(planFor({ seed: undefined }).kind, "hold");
  });

  test("is not prepared for a pod that does not get on: its store would stay open for nothing", () => {
    const stuck = aSeed({ receive: "waiting", trouble: "it cannot be scheduled" });
    assert.equal(planFor({ seed: stuck }).kind, "hold");
  });

  test("is not said to be sent before the pod listens", () => {
    const runs = { ...NO_RUNS, push: { kind: "running", progress: { step: "Sending the snapshot" } } } as const;
    const held = planFor({ seed: aSeed({ receive: "waiting" }), runs });
    assert.ok(held.kind === "hold");
    assert.deepEqual(held.progress, { step: "Starting the first member's pod" });
  });

  test("in progress is reported with its bytes, and with what went wrong so far", () => {
    const progress = { step: "Sending the snapshot", bytes: 10, totalBytes: 20 };
    const sending = planFor({ seed: aSeed(), runs: { ...NO_RUNS, push: { kind: "running", progress } } });
    assert.ok(sending.kind === "hold");
    assert.deepEqual(sending.progress, progress);
    const trouble = "Attempt 1 of 5 failed";
    const again = planFor({
      seed: aSeed(),
      runs: { ...NO_RUNS, push: { kind: "running", progress: { ...progress, trouble } } },
    });
    assert.equal(again.message, trouble);
  });

  test("that could not be sent makes the restore fail, with the cause and the remedy", () => {
    const push = { kind: "failed" as const, error: new Error("get 'backups/etcd': access denied") };
    const action = planFor({ seed: aSeed(), runs: { ...NO_RUNS, push } });
    assert.deepEqual([action.kind, action.reason], ["give-up", "NotSent"]);
    assert.match(action.message, /could not be sent to pod 'example-abc': .*access denied\. .*edit the spec/);
  });

  test("whose sender got no answer, though it arrived, is no failure", () => {
    const push = { kind: "failed" as const, error: new Error("unavailable") };
    assert.equal(planFor({ seed: aSeed({ receive: "succeeded" }), runs: { ...NO_RUNS, push } }).kind, "hold");
  });

  test("is not sent to a cluster that is paused", () => {
    assert.equal(planFor({ seed: aSeed(), cluster: { spec: { paused: true } as never } }).kind, "hold");
  });
});

describe("the first member", () => {
  test("whose container failed three times makes the restore fail, with its message", () => {
    const failing = { name: "restore", times: 3, message: "exit code 1: Error: expected sha256" };
    assert.equal(planFor({ seed: aSeed({ receive: "succeeded", failing: { ...failing, times: 2 } }) }).kind, "hold");
    const action = planFor({ seed: aSeed({ receive: "succeeded", failing }) });
    assert.deepEqual([action.kind, action.reason], ["give-up", "SeedFailed"]);
    assert.match(action.message, /Container 'restore' of pod 'example-abc'.* failed 3 times: exit code 1: .*sha256/);
  });

  test.each([
    ["receive", /Provide an empty volume, on a node with space .*, then edit the spec of this EtcdRestore/],
    ["restore", /Use another backup, or a version of etcd that can restore this one, then edit/],
    ["guard", /Fix the spec of the EtcdCluster, then edit/],
    ["etcd", /Fix the spec of the EtcdCluster, then edit/],
  ])("whose container '%s' failed is given up with what can be done about that", (name, remedy) => {
    const failing = { name, times: 3, message: "exit code 1" };
    assert.match(planFor({ seed: aSeed({ receive: "succeeded", failing }) }).message, remedy);
  });

  test.each<[string, RestoreGiven, number]>([
    ["no controller starts", { state: undefined as never }, 15],
    ["the old ones do not stop", { state: "Fencing" }, 15],
    ["its pod does not come", { seed: undefined }, 15],
    ["its pod does not start", { seed: aSeed({ receive: "waiting", trouble: "it cannot be scheduled" }) }, 15],
    ["its data is not ready", { seed: aSeed({ receive: "succeeded", restore: "running" }) }, 60],
    ["it does not serve", { seed: aSeed({ receive: "succeeded", restore: "succeeded" }) }, 15],
  ])("is given up when %s for long", (_, given, minutes) => {
    const { state, ...rest } = given;
    const all = { ...rest, ...("state" in given ? (state ? { state } : {}) : { state: "Restoring" as const }) };
    assert.equal(afterMinutes(minutes, all).kind, "hold");
    const action = afterMinutes(minutes + 1, all);
    assert.deepEqual([action.kind, action.reason], ["give-up", "Overdue"]);
    if (rest.seed?.trouble) assert.match(action.message, /cannot be scheduled/);
  });

  test("is not abandoned while the snapshot is being sent, however long that takes", () => {
    const runs = {
      ...NO_RUNS,
      push: { kind: "running" as const, progress: { step: "Sending the snapshot", bytes: 1 } },
    };
    assert.equal(afterMinutes(600, { seed: aSeed(), runs }).kind, "hold");
  });

  test("reports the obstacle, in the cluster's words or the kubelet's", () => {
    const reason = "pod 'example-old' still runs";
    const status = { restore: { name: "x", uid: REQUEST.uid, state: "Fencing", incarnation: 2, revision: 1, reason } };
    assert.match(
      planFor({ cluster: { status } as never }).message,
      /Stopping the previous members; pod 'example-old' still runs/,
    );
    assert.match(planFor({ seed: aSeed({ receive: "waiting", trouble: "no such image" }) }).message, /: no such image/);
  });
});
