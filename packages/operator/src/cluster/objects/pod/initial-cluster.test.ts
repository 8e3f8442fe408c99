import assert from "node:assert/strict";
import { test } from "vitest";
import { ANNOTATIONS } from "../annotations.ts";
import { initialClusterOfJoined, movedToAnnotations } from "./initial-cluster.ts";

const command = [
  "/usr/local/bin/etcd",
  "--name=a",
  "--initial-cluster=b=http://b:2380,a=http://a:2380",
  "--initial-cluster-state=new",
];

test("what matters on an empty directory is read from annotations at every start", () => {
  const told = movedToAnnotations([...command, "--initial-cluster-token=t"]);
  assert.deepEqual(told.command, [
    "/usr/local/bin/etcd",
    "--name=a",
    "--initial-cluster=$(OPERATOR_INITIAL_CLUSTER)",
    "--initial-cluster-state=$(OPERATOR_INITIAL_CLUSTER_STATE)",
    "--initial-cluster-token=t",
  ]);
  assert.deepEqual(
    told.env.map(({ name, valueFrom }) => [name, valueFrom?.fieldRef?.fieldPath]),
    [
      ["OPERATOR_INITIAL_CLUSTER", `metadata.annotations['${ANNOTATIONS.initialCluster}']`],
      ["OPERATOR_INITIAL_CLUSTER_STATE", `metadata.annotations['${ANNOTATIONS.initialClusterState}']`],
    ],
  );
  assert.deepEqual(told.annotations, {
    [ANNOTATIONS.initialCluster]: "b=http://b:2380,a=http://a:2380",
    [ANNOTATIONS.initialClusterState]: "new",
  });
});

test("a member that has joined is given no other member's URL", () => {
  assert.deepEqual(initialClusterOfJoined("a", "http://a:2380"), {
    [ANNOTATIONS.initialCluster]: "a=http://a:2380",
    [ANNOTATIONS.initialClusterState]: "existing",
  });
});
