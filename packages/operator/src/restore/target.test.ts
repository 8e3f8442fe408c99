import assert from "node:assert/strict";
import { aRestoreSeen } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { test } from "vitest";
import { targetOf } from "./target.ts";

const restore = { name: "r", uid: "u", state: "Done", incarnation: 2, revision: 1, previousClusterID: "c0" };
const cluster = { status: { clusterID: "c1", restore } as never };
const owned = (uid: string) => ({ ownerReferences: [{ uid }] }) as never;

test("a restore that the cluster made takes only what comes from it, or the snapshot of its newest restore", () => {
  const { origins, restored } = targetOf(aRestoreSeen({ cluster, metadata: owned("cluster-uid") }));
  assert.deepEqual([origins, restored], [["c1"], { clusterID: "c0", revision: 1 }]);
});

test("a restore of a user takes its chosen backup", () => {
  assert.equal(targetOf(aRestoreSeen({ cluster })).origins, undefined);
  assert.equal(targetOf(aRestoreSeen({ cluster, metadata: owned("another") })).origins, undefined);
  assert.equal(targetOf(aRestoreSeen({ cluster: false, metadata: owned("cluster-uid") })).origins, undefined);
});
