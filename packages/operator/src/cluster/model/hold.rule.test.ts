import assert from "node:assert/strict";
import { anObservation, gone, healthy, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

// Whatever else there were to do.
const members = [leader("a"), healthy("b"), gone("c")];

describe("nothing is changed", () => {
  test("while the cluster is being deleted", () => {
    const seen = anObservation({ members, metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } });
    assert.deepEqual(plan(seen), { kind: "hold", reason: "Deleting", message: "The cluster is being deleted" });
  });

  test("while the spec is invalid, and the message names every problem", () => {
    const problems = ["spec.size: 0: too small", "spec.version: no release of etcd"];
    const action = plan(anObservation({ members, seen: { problems } }));
    assert.equal(action.kind, "hold");
    assert.equal(action.message, "spec.size: 0: too small; spec.version: no release of etcd");
  });

  test("while the cluster is paused", () => {
    const action = plan(anObservation({ members, spec: { paused: true } }));
    assert.deepEqual([action.kind, action.reason], ["hold", "Paused"]);
  });
});

test("nothing is to be done when all is as the spec says", () => {
  assert.equal(plan(anObservation()).kind, "none");
  assert.equal(plan(anObservation({ claims: true })).kind, "none");
});
