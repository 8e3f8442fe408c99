import assert from "node:assert/strict";
import { test } from "vitest";
import { anObservation, leader } from "../../../test/support/cluster/an-observation.ts";
import { plan } from "../plan.ts";

const whenDeleted = (policy: string) => ({
  persistentVolumeClaimRetentionPolicy: { whenDeleted: policy },
  pod: { persistentVolumeClaimSpec: { resources: { requests: { storage: "1Gi" } } } },
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
