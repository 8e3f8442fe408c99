import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const status = {
  clusterID: CLUSTER_ID,
  incarnation: 2,
  memberIntents: [{ name: "c", incarnation: 2, purpose: "Join" as const }],
};

describe("a member that was declared and added", () => {
  test("gets its pod when the operator stopped in between, with the list of all the others", () => {
    const members = [leader("a"), healthy("b"), gone("c", { listed: "unstarted-learner" })];
    const action = plan(anObservation({ members, status }));
    assert.equal(action.kind, "start-members");
    const [member] = action.members;
    assert.deepEqual([member?.name, member?.incarnation], ["c", 2]);
    assert.ok(member?.start.kind === "joining");
    assert.deepEqual(member.start.peers, [
      { name: "a", peerUrl: "http://a.example.prod.svc:2380" },
      { name: "b", peerUrl: "http://b.example.prod.svc:2380" },
    ]);
  });

  test("gets it without a majority too: before 3.4 the second voter is what the first one waits for", () => {
    const members = [unhealthy("a"), gone("c", { listed: "unstarted-voter" })];
    const action = plan(anObservation({ members, status, membership: "unconfirmed", version: "3.3.25" }));
    assert.equal(action.kind, "start-members");
  });

  test("gets another pod when the cluster waits for it and its spec was corrected", () => {
    const stuck = unknown("c", { listed: "unstarted-voter", pod: { stage: "pending", specHash: "v1:other" } });
    const members = [unhealthy("a"), stuck];
    const action = plan(anObservation({ members, status, membership: "unconfirmed", version: "3.3.25" }));
    assert.equal(action.kind, "delete-pods");
  });
});

describe("a voter that may have run, and lost its only copy with its pod", () => {
  const lost = gone("c", { listed: "unstarted-voter" });

  test("is removed where it would be one of three or more: it must not begin again with nothing", () => {
    const members = [leader("a"), healthy("b"), healthy("d"), lost];
    const action = plan(anObservation({ members, status, version: "3.3.25" }));
    assert.deepEqual(action.kind === "remove-member" && [action.member.name, action.because], ["c", "never-started"]);
  });

  test("gets its pod where there is only one other, which waits for it", () => {
    const action = plan(anObservation({ members: [leader("a"), lost], status, version: "3.3.25" }));
    assert.equal(action.kind, "start-members");
  });
});

test("a learner that is stuck without a majority is left alone: it has no vote to give", () => {
  const stuck = unknown("c", { listed: "unstarted-learner", pod: { stage: "pending", specHash: "v1:other" } });
  const action = plan(
    anObservation({ members: [unhealthy("a"), unhealthy("b"), stuck], status, membership: "unconfirmed" }),
  );
  assert.equal(action.reason, "NoQuorum");
});
