import assert from "node:assert/strict";
import type { Member } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { unsettled } from "./settled.ts";

const CLUSTER = {
  metadata: { generation: 1 },
  spec: { size: 1 },
  status: {
    ...{ observedGeneration: 1, phase: "Running", state: "Ready", size: 1, readyMembers: 1 },
    ...{ members: { ready: ["a"] }, memberStatus: [{ name: "a" }] },
    conditions: [
      { type: "Available", status: "True" },
      { type: "Ready", status: "True" },
    ],
  },
} as unknown as Stored<EtcdCluster>;
const MEMBERS = [{ name: "a", isLearner: false }] as unknown as readonly Member[];

function aPod(metadata: object): Stored<Pod> {
  return { metadata: { name: "a", ...metadata }, status: { conditions: [{ type: "Ready", status: "True" }] } } as never;
}

test("a cluster is settled when all of it is there and says so", () => {
  assert.deepEqual(unsettled({ cluster: CLUSTER, members: MEMBERS, pods: [aPod({})] }, 1), []);
});

test("a pod that is being deleted, and is still ready, is not settled", () => {
  const pods = [aPod({ deletionTimestamp: "2030-01-01T00:00:00Z" })];
  const told = unsettled({ cluster: CLUSTER, members: MEMBERS, pods }, 1);
  assert.deepEqual(told, ["pods that go is 'a' instead of ''"]);
});
