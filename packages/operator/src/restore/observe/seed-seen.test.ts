import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ContainerState, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { seedSeen } from "./seed-seen.ts";

const waiting = { waiting: { reason: "PodInitializing" } };
const running = { running: { startedAt: "2030-01-01T00:00:00Z" } };
const ended = (exitCode: number, message?: string) => ({ terminated: { exitCode, ...(message && { message }) } });

function aPod(status: Pod["status"] = {}, metadata: object = {}): Stored<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "example-abc",
      uid: "pod-uid",
      resourceVersion: "1",
      creationTimestamp: "2030-01-01T00:00:00Z",
      annotations: { [RESTORE_UID_ANNOTATION]: "attempt" },
      ownerReferences: [{ apiVersion: "v1", kind: "EtcdCluster", name: "example", uid: "cluster" }],
      ...metadata,
    },
    status,
  };
}

function container(name: string, state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name, state, restartCount: 0, ready: false, image: "i", imageID: "i", ...more };
}

const seen = (...initContainerStatuses: ContainerStatus[]) =>
  seedSeen([aPod({ podIP: "10.0.0.1", initContainerStatuses })], "cluster", "attempt");

describe("the pod that is being restored", () => {
  test("is that of this attempt and of this cluster, and is not terminating", () => {
    assert.equal(seedSeen([aPod()], "cluster", "attempt")?.name, "example-abc");
    assert.equal(seedSeen([aPod()], "cluster", "attempt-2"), undefined);
    assert.equal(seedSeen([aPod()], "another cluster", "attempt"), undefined);
    assert.equal(seedSeen([aPod({}, { deletionTimestamp: "x" })], "cluster", "attempt"), undefined);
    assert.equal(seedSeen([], "cluster", "attempt"), undefined);
  });

  test.each([
    ["waits for its first container", [], "waiting", "waiting"],
    ["waits for the snapshot", [container("receive", running), container("restore", waiting)], "running", "waiting"],
    ["restores it", [container("receive", ended(0)), container("restore", running)], "succeeded", "running"],
    ["has restored it", [container("receive", ended(0)), container("restore", ended(0))], "succeeded", "succeeded"],
    ["could not", [container("receive", ended(0)), container("restore", ended(1))], "succeeded", "failed"],
  ] as const)("%s", (_, containers, receive, restore) => {
    const seed = seen(...containers);
    assert.deepEqual([seed?.receive, seed?.restore], [receive, restore]);
  });

  test("counts how often a container has failed, also while it runs again or is about to", () => {
    const failure = ended(1, "Error:\n  snapshot missing hash");
    const message = "exit code 1: Error: snapshot missing hash";
    assert.deepEqual(seen(container("restore", failure))?.failing, { name: "restore", times: 1, message });
    const again = { lastState: failure, restartCount: 2 };
    assert.deepEqual(seen(container("restore", running, again))?.failing, { name: "restore", times: 2, message });
    const backingOff = container("restore", { waiting: { reason: "CrashLoopBackOff" } }, again);
    assert.equal(seen(backingOff)?.failing?.times, 2);
    assert.match(seen(backingOff)?.trouble ?? "", /container 'restore' failed: exit code 1: .*missing hash/);
  });

  test("forgives a container that has done its work since", () => {
    const recovered = container("receive", ended(0), { lastState: ended(1), restartCount: 1 });
    assert.deepEqual([seen(recovered)?.failing, seen(recovered)?.trouble], [undefined, undefined]);
  });

  test("says why it does not start: no node, no image; and nothing while it simply starts", () => {
    const conditions = [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }];
    const pending = seedSeen([aPod({ conditions } as Pod["status"])], "cluster", "attempt");
    assert.equal(pending?.trouble, "it cannot be scheduled: 0/3 nodes are available");
    const pulling = { waiting: { reason: "ErrImagePull", message: "not found" } };
    assert.equal(
      seen(container("receive", pulling))?.trouble,
      "container 'receive' cannot start: ErrImagePull: not found",
    );
    assert.equal(seen(container("receive", waiting))?.trouble, undefined);
  });

  test("keeps the end of a long message: that is where it says why", () => {
    const message = `${"line of a log ".repeat(100)}the last word`;
    const { failing } = seen(container("restore", ended(1, message))) ?? {};
    assert.ok((failing?.message.length ?? 0) < 600);
    assert.match(failing?.message ?? "", /the last word$/);
  });

  test("keeps whole lines of a log, as many of the last ones as there is room for", () => {
    const message = [...Array(20).fill(`{"msg":"${"x".repeat(90)}"}`), '{"msg":"failed to verify flags"}', ""].join(
      "\n",
    );
    const { failing } = seen(container("etcd", ended(1, message))) ?? {};
    assert.match(failing?.message ?? "", /^exit code 1: … \{"msg":"x+"\} .*\{"msg":"failed to verify flags"\}$/);
    assert.ok((failing?.message.length ?? 0) <= 520);
  });
});
