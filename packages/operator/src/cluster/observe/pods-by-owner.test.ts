import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ownerReference } from "../objects/owner.ts";
import { podsByOwner } from "./pods-by-owner.ts";

const cluster = anEtcdCluster() as Stored<EtcdCluster>;
const ours = ownerReference(cluster);

test("pods with a cluster's labels are its own, left over from an earlier one of its name, or foreign", () => {
  const pods = [
    aPod("own", ours),
    aPod("of-an-earlier-one", { ...ours, uid: "uid-0" }),
    aPod("of-an-earlier-version", { ...ours, uid: "uid-0", apiVersion: "etcd.database.coreos.com/v1alpha1" }),
    aPod("of-another-cluster", { ...ours, uid: "uid-0", name: "other" }),
    aPod("of-another-kind", { ...ours, uid: "uid-0", kind: "StatefulSet", apiVersion: "apps/v1" }),
    aPod("of-another-group", { ...ours, uid: "uid-0", apiVersion: "etcd.example.com/v1" }),
    aPod("of-no-owner"),
  ];
  const { own, strangers } = podsByOwner(cluster, pods);
  assert.deepEqual(
    own.map(({ metadata }) => metadata.name),
    ["own"],
  );
  assert.deepEqual(strangers, {
    leftoverPods: ["of-an-earlier-one", "of-an-earlier-version"],
    foreignPods: ["of-another-cluster", "of-another-kind", "of-another-group", "of-no-owner"],
  });
});

describe("pods without an owner", () => {
  const notes = (more: Record<string, string> = {}) => ({ [ANNOTATIONS.incarnation]: "1", ...more });
  const pod = (name: string, annotations: Record<string, string>, owner?: OwnerReference): Stored<Pod> => {
    const made = aPod(name, owner);
    return { ...made, metadata: { ...made.metadata, annotations } };
  };
  const orphansOf = (given: Stored<EtcdCluster>, ...pods: readonly Stored<Pod>[]) =>
    podsByOwner(given, pods).orphans.map(({ metadata }) => metadata.name);
  const recorded = { ...cluster, status: { clusterID: "c1" } };

  test("are orphans when the operator made them for a cluster of this name", () => {
    const found = podsByOwner(cluster, [pod("example-a", notes()), pod("example-b", {}), pod("other-c", notes())]);
    assert.deepEqual(
      found.orphans.map(({ metadata }) => metadata.name),
      ["example-a"],
    );
    assert.deepEqual(found.strangers.foreignPods, ["example-b", "other-c"]);
  });

  test("are none while another cluster or controller owns them", () => {
    const owners = [
      { ...ours, uid: "x", name: "other" },
      { ...ours, uid: "x", kind: "StatefulSet", apiVersion: "apps/v1" },
    ];
    for (const owner of owners) assert.deepEqual(orphansOf(cluster, pod("example-a", notes(), owner)), []);
  });

  test("are of the cluster on record, where there is one, and not beside pods that are being bootstrapped", () => {
    const [mine, other] = [notes({ [ANNOTATIONS.clusterId]: "c1" }), notes({ [ANNOTATIONS.clusterId]: "c2" })];
    assert.deepEqual(orphansOf(recorded, pod("example-a", mine), pod("example-b", other)), ["example-a"]);
    assert.deepEqual(orphansOf(cluster, pod("example-a", mine), aPod("example-own", ours)), []);
  });
});

test("those of others that are ready count for the disruption budget, unless they are terminating", () => {
  const ready = (pod: Stored<Pod>): Stored<Pod> => ({
    ...pod,
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const { metadata, ...rest } = ready(aPod("leaving"));
  const leaving = { ...rest, metadata: { ...metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
  const pods = [ready(aPod("own", ours)), ready(aPod("foreign")), aPod("foreign-and-not-ready"), leaving];
  assert.deepEqual(podsByOwner(cluster, pods).strangers.readyPods, ["foreign"]);
});

function aPod(name: string, owner?: OwnerReference): Stored<Pod> {
  const metadata = { name, uid: name, resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
  return { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, ownerReferences: owner ? [owner] : [] } };
}
