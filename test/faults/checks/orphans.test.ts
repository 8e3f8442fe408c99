import assert from "node:assert/strict";
import { test } from "vitest";
import { objectsWritten, type Written } from "./objects-under-test.ts";
import { orphans } from "./orphans.ts";

const OF_A = { etcd_cluster: "a" };
const OF_MEMBER = { ...OF_A, etcd_node: "a-1" };
const CLUSTER: Written = ["etcdclusters/a", { metadata: {}, spec: {} }];
const KEEPING: Written = [
  "etcdclusters/a",
  { metadata: {}, spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } } },
];
const SERVICE: Written = ["services/a", { metadata: { labels: OF_A } }];
const CLAIM: Written = ["persistentvolumeclaims/a-1", { metadata: { labels: OF_MEMBER } }];
const POD: Written = ["pods/a-1", { metadata: { labels: OF_MEMBER } }];

test("what belongs to a cluster and its members is no orphan", () => {
  assert.deepEqual(orphans(objectsWritten(CLUSTER, SERVICE, CLAIM, POD)), []);
});

test("what bears the label of a cluster that is gone is reported", () => {
  assert.deepEqual(orphans(objectsWritten(SERVICE)), ["services/a has outlived its cluster"]);
});

test("a volume of a member that is gone is reported, unless it is to stay", () => {
  assert.deepEqual(orphans(objectsWritten(CLUSTER, CLAIM)), [
    "persistentvolumeclaims/a-1 is a volume without a member",
  ]);
  assert.deepEqual(orphans(objectsWritten(KEEPING, CLAIM)), []);
});

test("a volume that was set aside with what is in no store is its user's; one of the restored cluster is not", () => {
  const restored: Written = [
    "etcdclusters/a",
    { metadata: {}, spec: {}, status: { restore: { keepsClaimsBelow: 2 } } },
  ];
  const claim = (incarnation: string): Written => {
    const annotations = { "etcd.database.coreos.com/incarnation": incarnation };
    return ["persistentvolumeclaims/a-1", { metadata: { labels: OF_MEMBER, annotations } }];
  };
  assert.deepEqual(orphans(objectsWritten(restored, claim("1"))), []);
  assert.equal(orphans(objectsWritten(restored, claim("2"))).length, 1);
});

test("a volume of an earlier cluster of the same name is its user's", () => {
  const [at, before] = ["2030-01-01T00:10:00Z", "2030-01-01T00:09:59Z"];
  const again: Written = ["etcdclusters/a", { metadata: { creationTimestamp: at }, spec: {} }];
  const claim = (creationTimestamp: string): Written => [
    "persistentvolumeclaims/a-1",
    { metadata: { labels: OF_MEMBER, creationTimestamp } },
  ];
  assert.deepEqual(orphans(objectsWritten(again, claim(before))), []);
  assert.equal(orphans(objectsWritten(again, claim(at))).length, 1);
});

test("volumes outlive their cluster", () => {
  assert.deepEqual(orphans(objectsWritten(CLAIM)), []);
});
