import assert from "node:assert/strict";
import type { ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { nextAvailableInMs, replicaSetStatus } from "./replica-set-status.ts";

const NOW = Date.parse("2030-01-01T00:01:00Z");
const labels = { app: "web", hash: "x" };
const aSet = (minReadySeconds = 0, status?: ReplicaSet["status"]) =>
  stored<ReplicaSet>("web", {
    metadata: { generation: 3 },
    spec: { selector: {}, minReadySeconds, template: { metadata: { labels } } },
    ...(status && { status }),
  });
const aPod = (name: string, readySince?: string, own: Record<string, string> = labels) =>
  stored<Pod>(name, {
    metadata: { labels: own },
    status: {
      conditions: [
        { type: "Ready", status: readySince ? "True" : "False", ...(readySince && { lastTransitionTime: readySince }) },
      ],
    },
  });

test("pods are counted by how far they are", () => {
  const pods = [aPod("a", "2030-01-01T00:00:00Z"), aPod("b"), aPod("c", "2030-01-01T00:00:59Z", { app: "web" })];
  assert.deepEqual(replicaSetStatus(aSet(), pods, undefined, NOW), {
    replicas: 3,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 3,
  });
});

test("a pod is available when it has been ready for long enough, and that is when to look again", () => {
  const pods = [aPod("a", "2030-01-01T00:00:00Z"), aPod("b", "2030-01-01T00:00:55Z")];
  assert.equal(replicaSetStatus(aSet(10), pods, undefined, NOW).availableReplicas, 1);
  assert.equal(nextAvailableInMs(aSet(10), pods, NOW), 5000);
  assert.equal(nextAvailableInMs(aSet(10), pods, NOW + 5000), undefined);
});

test("a failure is told once, and taken back when it is over", () => {
  const failed = replicaSetStatus(aSet(), [], { reason: "FailedCreate", message: "first" }, NOW);
  assert.deepEqual(failed.conditions, [
    {
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "first",
      lastTransitionTime: "2030-01-01T00:01:00Z",
    },
  ]);
  const again = replicaSetStatus(aSet(0, failed), [], { reason: "FailedCreate", message: "second" }, NOW + 5000);
  assert.deepEqual(again.conditions, failed.conditions);
  assert.equal(replicaSetStatus(aSet(0, failed), [], undefined, NOW).conditions, undefined);
});
