import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  unhealthy,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import { plan } from "../plan.ts";

const status = {
  clusterID: CLUSTER_ID,
  incarnation: 2,
  memberIntents: [{ name: "c", incarnation: 2, purpose: "Join" as const }],
};

describe("a member that was declared and added", () => {
  test("gets its pod when the operator stopped in between, told of all the others", () => {
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
