import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { VersionChange } from "../model/observation.ts";
import { plan } from "../plan.ts";

function returning(given: ObservationGiven) {
  const action = plan(anObservation({ claims: true, ...given }));
  return action.kind === "start-members" ? action.members : [];
}
const namesOf = (given: ObservationGiven) => returning(given).map(({ name }) => name);

describe("a member whose pod is gone", () => {
  test("comes back to its volume as itself", () => {
    assert.deepEqual(returning({ members: [leader("a"), healthy("b"), gone("c")] }), [
      {
        name: "c",
        version: "3.5.30",
        incarnation: 1,
        start: { kind: "returning", clusterId: CLUSTER_ID, memberId: "c" },
        claim: { name: "c", uid: "uid-of-claim-c", resourceVersion: "1" },
      },
    ]);
  });

  test("comes back with the version that it ran, or with the one that it was taken down for", () => {
    const memberStatus = [{ name: "c", role: "Follower", health: "Healthy", version: "3.4.23" }] as const;
    const status = { clusterID: CLUSTER_ID, currentVersion: "3.4.23", memberStatus: [...memberStatus] };
    const back = (returnsWith: VersionChange | undefined) => {
      const members = [leader("a"), healthy("b"), gone("c", { claim: { returnsWith } })];
      return returning({ members, status })[0]?.version;
    };
    assert.equal(back(undefined), "3.4.23");
    assert.equal(back({ from: "3.4.23", to: "3.5.30" }), "3.5.30");
  });

  test("comes back without a majority too, with all the others: that is how the majority returns", () => {
    const memberStatus = ["a", "b", "c"].map(
      (name) => ({ name, id: name, role: "Unknown", health: "Unknown" }) as const,
    );
    const status = { clusterID: CLUSTER_ID, incarnation: 1, memberStatus };
    const members = [gone("a"), gone("b"), gone("c")];
    assert.deepEqual(namesOf({ members, membership: "unknown", status }), ["a", "b", "c"]);
  });

  test("comes back when the status was lost and the volumes are all there is", () => {
    const status = { clusterID: CLUSTER_ID, incarnation: 1 };
    assert.deepEqual(namesOf({ members: [gone("a"), gone("b")], membership: "unknown", status }), ["a", "b"]);
  });

  test("waits while its old pod may still run", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isTerminating: true } })];
    assert.deepEqual(namesOf({ members }), []);
  });

  test("does not come back to a volume of another member, of another cluster, or one that is being deleted", () => {
    for (const claim of [{ memberId: "x" }, { clusterId: "x" }, { isTerminating: true }, { memberId: undefined }]) {
      assert.deepEqual(namesOf({ members: [leader("a"), healthy("b"), gone("c", { claim })] }), []);
    }
  });

  test("does not come back after it was removed", () => {
    assert.deepEqual(namesOf({ members: [leader("a"), healthy("b"), gone("c", { listed: false })], size: 2 }), []);
  });
});

test("a pod that ended for good makes room for one that returns", () => {
  const members = [leader("a"), healthy("b"), unknown("c", { pod: { stage: "ended" } })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "delete-pods");
  assert.deepEqual(action.pods, [{ name: "c", uid: "uid-of-c", resourceVersion: "1" }]);
});

test("a pod that waits for what the spec does not ask for any more makes room, with a majority or without", () => {
  const pending = { stage: "pending", image: "quay.io/coreos/etcd:v3.5.99" } as const;
  const members = [unhealthy("a"), gone("b"), unknown("c", { pod: pending })];
  const action = plan(anObservation({ members, claims: true, membership: "unconfirmed" }));
  assert.equal(action.kind === "delete-pods" && action.pods[0]?.name, "c");
});

test("a pod that waits, and got the version of the spec meanwhile, is not recreated over and over", () => {
  const memberStatus = ["a", "b", "c"].map(
    (name) => ({ name, id: name, role: "Follower", health: "Healthy", version: "3.5.30" }) as const,
  );
  const status = { clusterID: CLUSTER_ID, incarnation: 1, currentVersion: "3.5.30", memberStatus };
  const given = { version: "3.5.35", image: "quay.io/coreos/etcd:v3.5.35", isEtcdRunning: false };
  const pending = { stage: "pending", trouble: "it cannot be scheduled", ...given } as const;
  const runs = { pod: { version: "3.5.30", image: "quay.io/coreos/etcd:v3.5.30" } };
  const members = [leader("a", runs), healthy("b", runs), unknown("c", { pod: pending })];
  const action = plan(anObservation({ members, claims: true, version: "3.5.35", status }));
  assert.equal(action.kind, "hold");
});
