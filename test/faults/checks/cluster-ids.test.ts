import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { ClusterFormed } from "../model/etcd/facts.ts";
import { changedIds } from "./cluster-ids.ts";
import { objectsWritten, type Written } from "./objects-under-test.ts";

describe("the cluster that an EtcdCluster stands for", () => {
  test("is written once", () => {
    assert.deepEqual(changes([withId(undefined), withId("a1"), withId("a1")]), []);
  });

  test("is another one for another EtcdCluster of the same name", () => {
    assert.deepEqual(changes([withId("a1"), ["etcdclusters/a", undefined], withId("b2", "other")]), []);
  });

  test("becomes another one by a restore", () => {
    assert.deepEqual(changes([withId("a1"), withId(undefined), withId("b2")], "restored"), []);
  });

  test("must not become another one in any other way", () => {
    const expected = ["a was cluster a1, and became b2"];
    assert.deepEqual(changes([withId("a1"), withId("b2")]), expected);
    assert.deepEqual(changes([withId("a1"), withId(undefined), withId("b2")]), expected);
  });

  function changes(writes: readonly Written[], how: ClusterFormed["how"] = "bootstrapped"): readonly string[] {
    const formed = { atMs: 0, clusterId: 0xb2n, how, token: "", by: [] };
    return changedIds(objectsWritten(...writes).events, { clusters: [formed] });
  }

  function withId(clusterID: string | undefined, uid = "one"): Written {
    return ["etcdclusters/a", { metadata: { uid }, status: { clusterID } }];
  }
});
