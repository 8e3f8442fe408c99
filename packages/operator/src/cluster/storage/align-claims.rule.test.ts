import assert from "node:assert/strict";
import { anObservation, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import { plan } from "../plan.ts";

const whenDeleted = (policy: string) => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted: policy },
  pod: { persistentVolumeClaimSpec: { resources: { requests: { storage: "1Gi" } } } },
});

test("a claim in use that lost its labels gets them back, also without a majority, and before anything is written on it", () => {
  const members = [leader("a", { claim: { lacksLabels: true, memberId: undefined } })];
  for (const membership of ["confirmed", "unconfirmed"] as const) {
    const action = plan(anObservation({ members, membership, claims: true }));
    assert.equal(action.kind, "align-claims");
    assert.deepEqual(
      action.claims.map(({ name }) => name),
      ["a"],
    );
    assert.match(action.message, /Restoring the cluster labels of the PVCs a/);
  }
});

test("claims follow a retention policy that was changed after they were made", () => {
  for (const [policy, isOwned] of [
    ["Delete", true],
    ["Retain", false],
  ] as const) {
    const given = (has: boolean) => ({
      members: [leader("a", { claim: { isOwned: has } })],
      claims: true,
      spec: whenDeleted(policy),
    });
    const action = plan(anObservation(given(!isOwned)));
    assert.equal(action.kind, "align-claims");
    assert.equal(action.isOwned, isOwned);
    assert.equal(plan(anObservation(given(isOwned))).kind, "none");
  }
});
