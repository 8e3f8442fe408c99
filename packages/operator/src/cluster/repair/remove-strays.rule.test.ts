import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const stray = (more: Partial<MemberGiven> = {}) =>
  healthy("c", { listed: false, health: "unknown", pod: { gate: "closed" }, ...more });
const kindOf = (member: MemberGiven, spec: object = {}) => {
  const given = { size: 2, members: [leader("a"), healthy("b"), member], spec };
  return plan(anObservation(given)).kind;
};

describe("what a majority does not know as a member", () => {
  test("is deleted: first the pod, with its UID and version", () => {
    const action = plan(anObservation({ size: 2, members: [leader("a"), healthy("b"), stray()] }));
    assert.equal(action.kind, "delete-pods");
    assert.deepEqual(action.pods, [{ name: "c", uid: "uid-of-c", resourceVersion: "1" }]);
  });

  test("then its claim, when the pod is gone", () => {
    assert.equal(kindOf(stray({ claim: {}, pod: { isTerminating: true } })), "none");
    assert.equal(kindOf(gone("c", { listed: false, claim: {} })), "delete-claims");
  });

  test("keeps its claim when the user wants that", () => {
    const spec = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } };
    assert.equal(kindOf(gone("c", { listed: false, claim: {} }), spec), "none");
  });

  test("stays when its note says that it holds a member's data, and delays nothing (an edited note kept members from joining)", () => {
    const members = [leader("a"), healthy("b"), gone("c", { listed: false, claim: { memberId: "b" } })];
    assert.equal(plan(anObservation({ size: 2, members })).kind, "none");
    assert.equal(plan(anObservation({ size: 3, members })).kind, "declare-join");
  });

  test("keeps the volume of a member that was replaced until its successor votes", () => {
    const removed = gone("c", { listed: false, claim: { memberId: "c", clusterId: "c1" } });
    const kinds = (...more: MemberGiven[]) =>
      plan(anObservation({ size: 3, members: [leader("a"), healthy("b"), removed, ...more] })).kind;
    assert.equal(kinds(), "declare-join");
    assert.notEqual(kinds(healthy("d", { listed: "learner" })), "delete-claims");
    assert.equal(kinds(healthy("d")), "delete-claims");
  });

  test("keeps it no longer where no volume is left for the successor, and every voter serves", () => {
    const memberIntents = [{ name: "d", incarnation: 1, purpose: "Join" as const }];
    const status = { clusterID: "c1", incarnation: 1, memberIntents };
    const kept = gone("c", { listed: false, claim: { memberId: "c", clusterId: "c1" } });
    const kindAfter = (
      ageMs: number,
      b: MemberGiven,
      trouble = "3 node(s) didn't find available persistent volumes to bind.",
    ) => {
      const pod = { stage: "pending", unschedulableSinceMs: NOW_MS - ageMs, trouble } as const;
      const successor = unknown("d", { listed: "unstarted-learner", pod });
      return plan(anObservation({ size: 3, status, members: [leader("a"), b, kept, successor] })).kind;
    };
    assert.equal(kindAfter(60_000, healthy("b")), "delete-claims");
    assert.notEqual(kindAfter(59_000, healthy("b")), "delete-claims");
    assert.notEqual(kindAfter(60_000, healthy("b"), "3 Insufficient cpu."), "delete-claims");
    assert.notEqual(kindAfter(60_000, unknown("b", { pod: { isReady: true } })), "delete-claims");
  });

  test("loses the volume of a member that never joined at once", () => {
    const never = gone("c", { listed: false, claim: {} });
    assert.equal(plan(anObservation({ size: 3, members: [leader("a"), healthy("b"), never] })).kind, "delete-claims");
  });

  test("is not deleted twice", () => {
    assert.equal(kindOf(gone("c", { listed: false, claim: { isTerminating: true } })), "none");
  });
});

describe("what another cluster left under this name", () => {
  const former = stray({ pod: { clusterId: "c0", gate: "closed" } });
  const formerClaim = gone("c", { listed: false, claim: { clusterId: "c0" } });

  test("is deleted when this one has all its members", () => {
    assert.equal(kindOf(former), "delete-pods");
    assert.equal(kindOf(formerClaim), "delete-claims");
  });

  test("is kept until then: a restore may have been forgotten with the status", () => {
    for (const member of [former, formerClaim]) {
      const given = { size: 3, members: [leader("a"), healthy("b"), member] };
      assert.equal(plan(anObservation(given)).kind, "declare-join");
    }
  });
});

test.each([
  ["of an incarnation of which nothing could be saved stays", 2, "none"],
  ["of a later one goes", 1, "delete-claims"],
])("the claim %s", (_, keepsClaimsBelow, kind) => {
  const { restore } = inRestore("Done");
  assert.ok(restore);
  const status = { clusterID: "c1", incarnation: 2, restore: { ...restore, keepsClaimsBelow } };
  const members = [leader("a"), healthy("b"), gone("c", { listed: false, claim: { clusterId: "c0", incarnation: 1 } })];
  assert.equal(plan(anObservation({ size: 2, members, status })).kind, kind);
});

test("a pod of a member that was declared is no stray", () => {
  const memberIntents = [{ name: "c", incarnation: 1, purpose: "Join" as const }];
  const status = { clusterID: "c1", incarnation: 1, memberIntents };
  const members = [leader("a"), healthy("b"), healthy("c", { listed: "unstarted-learner", health: "unknown" })];
  assert.equal(plan(anObservation({ members, status })).kind, "hold");
});
