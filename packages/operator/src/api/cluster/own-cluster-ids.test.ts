import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { isOwnSnapshot, ownClusterIds, restoredSnapshot } from "./own-cluster-ids.ts";

const restore = { name: "r", uid: "u", state: "Done", incarnation: 2, revision: 90, previousClusterID: "c1" } as const;

describe("after a restore", () => {
  test.each<[string, { clusterID?: string; revision?: number }, boolean]>([
    ["a backup of the cluster since counts, whatever its revision", { clusterID: "c2", revision: 3 }, true],
    ["the snapshot that was restored counts", { clusterID: "c1", revision: 90 }, true],
    [
      "a later one of the cluster before does not: it has what was rolled back",
      { clusterID: "c1", revision: 5_000 },
      false,
    ],
    ["an earlier one of the cluster before does not", { clusterID: "c1", revision: 80 }, false],
    ["one of any other cluster does not", { clusterID: "c0", revision: 90 }, false],
    ["one that does not tell does not", { revision: 90 }, false],
  ])("%s", (_, snapshot, expected) => assert.equal(isOwnSnapshot({ clusterID: "c2", restore }, snapshot), expected));
});

test("while a cluster is being restored, backups of the previous one count", () => {
  const status = { restore: { ...restore, state: "Fencing" } } as const;
  assert.deepEqual([ownClusterIds(status), restoredSnapshot(status)], [["c1"], undefined]);
});

test("a cluster that has none yet knows no backup", () => {
  assert.deepEqual([...ownClusterIds(undefined), ...ownClusterIds({}), ...ownClusterIds({ clusterID: "" })], []);
});
