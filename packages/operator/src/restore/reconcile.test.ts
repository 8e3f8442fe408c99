import assert from "node:assert/strict";
import type { ActionOutcome, Pass } from "@etcd-operator/controller-runtime";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, type KubernetesErrorCode, pause } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { aRestoreSeen } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { beforeEach, describe, test } from "vitest";
import type { Action } from "./action.ts";
import { type RestoreSteps, restoreReconciler } from "./reconcile.ts";
import { type RestoreStatus, statusAfter } from "./status.ts";

const { signal } = new AbortController();

let clock: FakeClock;
let action: Action;
let act: () => Promise<ActionOutcome>;
let written: RestoreStatus[];
let forgotten: string[];
beforeEach(() => {
  clock = new FakeClock();
  action = { kind: "verify", reason: "Verifying", message: "Reading the backup" };
  act = async () => ({ kind: "done" });
  [written, forgotten] = [[], []];
});

const steps: RestoreSteps = {
  observe: async (key) => (key === "prod/gone" ? undefined : aRestoreSeen()),
  plan: () => action,
  act: () => act(),
  statusAfter,
  isWorthWriting: () => true,
  writeStatus: async (seen, status) => {
    written.push(status);
    return { ...seen, restore: { ...seen.restore, status } };
  },
  eventsOf: () => [],
  record: () => undefined,
  forget: async (key) => void forgotten.push(key),
  get clock() {
    return clock;
  },
};
const pass = { mustReadLive: false, logger: createLogger({ write: () => undefined }) } as unknown as Pass;
const restored = (status: RestoreStatus | undefined) =>
  status?.conditions?.find(({ type }) => type === "Restored") as Partial<Record<string, unknown>> | undefined;

/** The status that a reconcile leaves whose action fails so. */
async function statusAfterFailure(code: KubernetesErrorCode): Promise<RestoreStatus | undefined> {
  act = async () => {
    throw new KubernetesError(code, { operation: "PATCH etcdclusters", message: "no" });
  };
  await assert.rejects(restoreReconciler(steps)("prod/example", signal, pass), { code });
  return written[0];
}

describe("a restore whose action fails", () => {
  test.each(["forbidden", "invalid", "unavailable", "timeout", "too-many-requests"] as const)(
    "says so in its status: %s",
    async (code) => {
      const condition = restored(await statusAfterFailure(code));
      assert.deepEqual([condition?.status, condition?.reason], ["Unknown", "ActionFailed"]);
      assert.match(String(condition?.message), /^Reading the backup; but /);
    },
  );

  test("because another client wrote first leaves the status to the next reconcile", async () => {
    assert.equal(await statusAfterFailure("conflict"), undefined);
  });
});

describe("a reconcile of a restore", () => {
  test("whose action hangs says so in the status meanwhile", async () => {
    act = async () => pause(clock, 6_000, signal).then(() => ({ kind: "done" }));
    const passing = restoreReconciler(steps)("prod/example", signal, pass);
    await clock.advance(5_000);
    assert.equal(restored(written[0])?.message, "Reading the backup; but there was no answer for 5 s");
    await clock.advance(1_000);
    assert.deepEqual(await passing, { kind: "retry", afterMs: 0, why: "Reading the backup" });
    assert.equal(restored(written[1])?.message, "Reading the backup");
  });

  test("ends in a failure where the API server does not accept what was asked for", async () => {
    act = async () => ({ kind: "refused", why: "no such version" });
    await restoreReconciler(steps)("prod/example", signal, pass);
    const { status, message } = restored(written[0]) ?? {};
    const expected = "Reading the backup; but the API server does not accept it: no such version";
    assert.deepEqual([status, message], ["False", expected]);
  });

  test("leaves the status as it is where its action has to be planned from another picture", async () => {
    act = async () => ({ kind: "postponed", why: "the EtcdCluster does not exist any more", retryMs: 1_000 });
    const outcome = await restoreReconciler(steps)("prod/example", signal, pass);
    assert.deepEqual(outcome, { kind: "retry", afterMs: 1_000, why: "the EtcdCluster does not exist any more" });
    assert.deepEqual(written, [aRestoreSeen().restore.status ?? {}]);
  });

  test("waits for an edit when there is nothing left to do", async () => {
    action = { kind: "none", reason: "Finished", message: "over" };
    assert.deepEqual(await restoreReconciler(steps)("prod/example", signal, pass), { kind: "wait", for: "over" });
  });

  test("ends what is under way for a restore that is gone", async () => {
    assert.deepEqual(await restoreReconciler(steps)("prod/gone", signal, pass), { kind: "done" });
    assert.deepEqual(forgotten, ["prod/gone"]);
  });
});
