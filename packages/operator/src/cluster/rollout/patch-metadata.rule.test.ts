import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const labelled = { pod: { labels: { team: "a" } } };

describe("labels and annotations of the spec", () => {
  test("reach every pod at once, learners and unhealthy members included", () => {
    const learner = unknown("d", { listed: "learner", pod: { memberId: "d" } });
    const members = [leader("a"), healthy("b"), unknown("c"), learner];
    const action = plan(edited({ members, size: 4 }, labelled));
    assert.equal(action.kind, "patch-pods");
    assert.deepEqual(
      action.pods.map(({ pod, labels }) => `${pod.name} ${labels.team}`),
      ["a a", "b a", "c a", "d a"],
    );
    assert.equal(action.message, "Updating labels and annotations of a, b, c, d");
  });

  test("keep nothing else from being done, because another client may refuse or undo them for ever", () => {
    const kindOf = (given: ObservationGiven, more: object) => plan(edited(given, { ...labelled, ...more })).kind;
    assert.equal(kindOf({ version: "3.5.16" }, { version: "3.5.30" }), "restart-member");
    assert.equal(kindOf({}, { size: 5 }), "declare-join");
    assert.equal(kindOf({}, { size: 1 }), "remove-member");
  });

  test("do not wait for what a roll or a new member waits for", () => {
    const given = { members: [leader("a"), healthy("b"), unknown("c")], version: "3.5.16" };
    assert.equal(plan(edited(given, { version: "3.5.30" })).reason, "RolloutWaiting");
    assert.equal(plan(edited(given, { ...labelled, version: "3.5.30" })).kind, "patch-pods");
    assert.equal(plan(edited(given, { ...labelled, version: "3.5.16", size: 5 })).kind, "patch-pods");
  });

  test("wait while the cluster is paused", () => {
    assert.equal(plan(edited({}, { ...labelled, paused: true })).kind, "hold");
  });

  test("do not reach a pod that is going", () => {
    const members = [leader("a"), healthy("b"), healthy("c", { pod: { isTerminating: true } })];
    const action = plan(edited({ members }, labelled));
    assert.deepEqual(action.kind === "patch-pods" && action.pods.map(({ pod }) => pod.name), ["a", "b"]);
  });

  test("wait for a majority", () => {
    const given = { members: [unknown("a"), gone("b"), gone("c")], membership: "unconfirmed" } as const;
    assert.equal(plan(edited(given, labelled)).reason, "NoQuorum");
  });

  test("that are there are not written again", () => {
    assert.equal(plan(anObservation({ spec: labelled })).kind, "none");
  });
});
