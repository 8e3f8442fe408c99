import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { claimSeen } from "./claim-seen.ts";

const UID = "uid-1";

describe("a claim", () => {
  test("is read with what the operator wrote on it", () => {
    const notes = { [ANNOTATIONS.incarnation]: "3", [ANNOTATIONS.memberId]: "a1", [ANNOTATIONS.clusterId]: "c1" };
    const seen = claimSeen(aClaim({ annotations: { [ANNOTATIONS.clusterUid]: UID, ...notes } }), UID);
    assert.deepEqual(seen, {
      name: "example-a",
      uid: "uid-of-claim",
      resourceVersion: "1",
      isTerminating: false,
      isOwned: false,
      incarnation: 3,
      memberId: "a1",
      clusterId: "c1",
      claimHash: undefined,
      returnsWith: undefined,
      storage: undefined,
    });
  });

  test("without a volume is unbound", () => {
    const claim = aClaim({ annotations: { [ANNOTATIONS.clusterUid]: UID } });
    const phases = ["Pending", "Bound", "Lost"] as const;
    const seen = phases.map((phase) => claimSeen({ ...claim, status: { phase } }, UID)?.isUnbound);
    assert.deepEqual(seen, [true, undefined, undefined]);
  });

  const cases: [what: string, annotation: string | undefined, owner: string | undefined, isOurs: boolean][] = [
    ["that names this cluster is ours, also without an owner", UID, undefined, true],
    ["that names this cluster is ours", UID, UID, true],
    ["of coreos/etcd-operator is ours when this cluster owns it", undefined, UID, true],
    ["of coreos/etcd-operator that another cluster owns is not ours", undefined, "uid-2", false],
    ["of an earlier cluster of the same name is not ours", "uid-0", undefined, false],
    ["that names another cluster is not ours, whatever its owner is", "uid-0", UID, false],
    ["without anything to go by is not ours", undefined, undefined, false],
  ];
  for (const [what, annotation, owner, isOurs] of cases) {
    test(what, () => {
      const claim = aClaim({
        ...(annotation && { annotations: { [ANNOTATIONS.clusterUid]: annotation } }),
        ...(owner && { ownerReferences: [{ apiVersion: "x/v1", kind: "EtcdCluster", name: "example", uid: owner }] }),
      });
      const seen = claimSeen(claim, UID);
      assert.equal(seen !== undefined, isOurs);
      if (seen) assert.equal(seen.isOwned, owner === UID);
    });
  }

  test("winds up once it has a deletion time", () => {
    const annotations = { [ANNOTATIONS.clusterUid]: UID };
    assert.equal(
      claimSeen(aClaim({ annotations, deletionTimestamp: "2030-01-01T00:00:00Z" }), UID)?.isTerminating,
      true,
    );
  });
});

function aClaim(more: Partial<Stored["metadata"]>): Stored<PersistentVolumeClaim> {
  const identity = { name: "example-a", namespace: "prod", uid: "uid-of-claim", resourceVersion: "1" };
  const metadata = { ...identity, creationTimestamp: "2030-01-01T00:00:00Z", ...more };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
}

test("a claim whose volume does not exist any more reports so, and one that waits for a volume does not", () => {
  const lostIn = (phase: string) => {
    const claim = aClaim({ annotations: { [ANNOTATIONS.clusterUid]: UID } });
    return claimSeen({ ...claim, status: { phase } }, UID)?.hasLostVolume;
  };
  assert.deepEqual([lostIn("Lost"), lostIn("Bound"), lostIn("Pending")], [true, undefined, undefined]);
});
