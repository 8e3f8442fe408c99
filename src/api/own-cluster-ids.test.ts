import assert from "node:assert/strict";
import { test } from "vitest";
import { ownClusterIds } from "./own-cluster-ids.ts";

test("a cluster knows its backups by its own id, and by that of the cluster before its newest restore", () => {
  const restore = { name: "r", uid: "u", state: "Done", incarnation: 2, revision: 1 } as const;
  assert.deepEqual(ownClusterIds({ clusterID: "c2", restore: { ...restore, previousClusterID: "c1" } }), ["c2", "c1"]);
  assert.deepEqual(ownClusterIds({ clusterID: "c2", restore }), ["c2"]);
});

test("a cluster that has none yet knows no backup", () => {
  assert.deepEqual([...ownClusterIds(undefined), ...ownClusterIds({}), ...ownClusterIds({ clusterID: "" })], []);
});
