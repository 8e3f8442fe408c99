import assert from "node:assert/strict";
import type { KubeClient, ObjectRef } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import type { ListOptions } from "@etcd-operator/kubernetes-client/requests/request-options.ts";
import { aBackupSeen, aRun, type SeenGiven, succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { beforeEach, describe, test } from "vitest";
import { SCOPE_ANNOTATION } from "../api/group.ts";
import { createActor } from "./act.ts";
import type { Step } from "./action.ts";
import { FINALIZER } from "./finalizer.ts";

const { about } = aRun();
const { signal } = new AbortController();
let done: unknown[];
let failure: KubernetesErrorCode | undefined;
let isLeading: boolean;
/** What of its metadata is not as it was seen. */
let live: object;
beforeEach(() => {
  [done, failure, isLeading, live] = [[], undefined, true, {}];
});

async function act(step: Step, given: SeenGiven = {}): Promise<unknown[]> {
  const seen = aBackupSeen(given);
  const { backup } = seen;
  const carryOut = createActor({
    client: {
      get: async () => ({ ...backup, metadata: { ...backup.metadata, ...live } }),
      list: async (_: unknown, { namespace, labelSelector }: ListOptions) => {
        done.push(["list", namespace, labelSelector]);
        return { items: [{ metadata: { namespace: "prod", name: "left", uid: "x" } }] };
      },
      delete: async (_: unknown, { namespace, name }: ObjectRef) => void done.push(["delete", namespace, name]),
    } as unknown as KubeClient,
    runs: {
      start: (key, started) => done.push(["start", key, started.attempt]),
      drop: async (key) => void done.push(["drop", key]),
    },
    drills: {
      start: (key, { snapshot }) => done.push(["start drill", key, snapshot.path]),
      drop: async (key) => void done.push(["drop drill", key]),
    },
    fence: (operation) => assert.ok(isLeading, `${operation} was not done`),
    backupWork: () => async () => succeeded(),
    drillWork: () => async () => assert.fail("not here"),
  });
  const patch = async (_: unknown, ref: { name: string }, change: object) => {
    if (failure) throw new KubernetesError(failure, { operation: "PATCH", message: "x" });
    done.push([ref.name, change]);
  };
  await carryOut(seen, { ...step, reason: "Running", message: "m" }, { writer: { patch } as never, signal });
  return done;
}

describe("an action", () => {
  test("that only waits or reports does nothing", async () => {
    const run = { about, state: { kind: "ended", outcome: succeeded() } } as const;
    for (const step of [{ kind: "none" }, { kind: "hold" }, { kind: "record-run", run }] as const) {
      assert.deepEqual(await act(step), []);
    }
  });

  test("starts a run, and calls one off", async () => {
    await act({ kind: "start-run", about: { ...about, attempt: 3 } });
    assert.deepEqual(await act({ kind: "drop-run" }), [
      ["start", "prod/nightly", 3],
      ["drop", "prod/nightly"],
    ]);
  });

  test("starts a drill, and calls one off", async () => {
    const { uid, request, startedAtMs, slotMs } = about;
    await act({ kind: "start-drill", about: { uid, request, startedAtMs, slotMs, snapshot: { path: "b/k" } } });
    assert.deepEqual(await act({ kind: "drop-drill" }), [
      ["start drill", "prod/nightly", "b/k"],
      ["drop drill", "prod/nightly"],
    ]);
  });

  test("removes the pods that a drill of another process left", async () => {
    assert.deepEqual(await act({ kind: "clear-drill" }), [
      ["list", "prod", "app=etcd-drill,etcd.database.coreos.com/owner-uid=uid-1"],
      ["delete", "prod", "left"],
    ]);
  });

  test("adds our finalizer to those of others, on the very version that was seen", async () => {
    const given = { metadata: { finalizers: ["theirs"] } };
    const metadata = { uid: "uid-1", resourceVersion: "1", finalizers: ["theirs", FINALIZER] };
    assert.deepEqual(await act({ kind: "add-finalizer" }, given), [["nightly", { merge: { metadata } }]]);
  });

  test("takes our finalizer away and leaves those of others", async () => {
    const given = { metadata: { finalizers: [FINALIZER, "theirs"] } };
    const metadata = { uid: "uid-1", resourceVersion: "1", finalizers: ["theirs"] };
    assert.deepEqual(await act({ kind: "remove-finalizer" }, given), [["nightly", { merge: { metadata } }]]);
  });

  test("leaves a deleted backup alone; the next reconcile resolves a conflict", async () => {
    failure = "not-found";
    assert.deepEqual(await act({ kind: "remove-finalizer" }), []);
    failure = "conflict";
    await assert.rejects(act({ kind: "remove-finalizer" }), { code: "conflict" });
  });

  test.each<Step>([
    { kind: "start-run", about },
    { kind: "clear-drill" },
    { kind: "start-drill", about: { ...about, snapshot: { path: "b/k" } } },
  ])("$kind is left to the operator whose scope the object has by now", async (step) => {
    live = { annotations: { [SCOPE_ANNOTATION]: "clusterwide" } };
    await assert.rejects(act(step), { code: "not-ours" });
    assert.deepEqual(done, []);
  });

  test.each<Step>([
    { kind: "start-run", about },
    { kind: "add-finalizer" },
    { kind: "remove-finalizer" },
    { kind: "clear-drill" },
  ])("$kind is not for an operator that does not lead any more", async (step) => {
    isLeading = false;
    await assert.rejects(act(step), /was not done/);
    assert.deepEqual(done, []);
  });
});
