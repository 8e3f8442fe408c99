import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type MemberGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

function forgotten(purpose: "Seed" | "Join", declared: MemberGiven | undefined, size = 3): readonly string[] {
  const memberIntents = [{ name: "c", incarnation: 1, purpose }];
  const status = { clusterID: CLUSTER_ID, incarnation: 1, memberIntents };
  const members = [leader("a"), healthy("b"), ...(declared ? [declared] : [])];
  const action = plan(anObservation({ size, members, status }));
  return action.kind === "forget-intents" ? action.names : [];
}

describe("a declared member is abandoned", () => {
  test("when it was tried already and removed: the next attempt has another name and another volume", () => {
    assert.deepEqual(forgotten("Join", unknown("c", { listed: false })), ["c"]);
    assert.deepEqual(forgotten("Join", gone("c", { listed: false, claim: { memberId: undefined } })), ["c"]);
  });

  test("when the cluster is large enough without it", () => {
    assert.deepEqual(forgotten("Join", undefined, 2), ["c"]);
  });

  test("when it should have bootstrapped a cluster that exists already, without it", () => {
    assert.deepEqual(forgotten("Seed", undefined), ["c"]);
  });
});

test("a declared member that nothing was made for yet is added", () => {
  assert.deepEqual(forgotten("Join", undefined), []);
});
