import assert from "node:assert/strict";
import { test } from "vitest";
import { anObservation, CLUSTER_ID, healthy, leader, unknown } from "../../../test/support/cluster/an-observation.ts";
import { plan } from "../plan.ts";

const unnamed = { memberId: undefined };

test("a member that answers is written on its pod and its claim", () => {
  const members = [leader("a"), healthy("b", { pod: unnamed, claim: { memberId: undefined } })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.equal(action.clusterId, CLUSTER_ID);
  assert.deepEqual(action.members, [
    {
      memberId: "b",
      pod: { name: "b", uid: "uid-of-b", resourceVersion: "1" },
      claim: { name: "b", uid: "uid-of-claim-b", resourceVersion: "1" },
    },
  ]);
});

test("only what lacks the note is written, after a crash between the two writes", () => {
  const members = [leader("a", { pod: unnamed })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.deepEqual(action.members.map(Object.keys), [["memberId", "pod"]]);
});

test("a learner is identified before it is promoted", () => {
  const members = [leader("a"), healthy("b", { listed: "learner" })];
  assert.equal(plan(anObservation({ members })).kind, "identify-members");
});

test("nobody is identified who does not answer as the member that the list has", () => {
  const answer = { health: "healthy", status: { ...statusOf("a"), memberId: "x" } } as const;
  const members = [leader("a"), healthy("b", { pod: { ...unnamed, answer } }), unknown("c", { pod: unnamed })];
  assert.notEqual(plan(anObservation({ members })).kind, "identify-members");
});

function statusOf(name: string) {
  const status = anObservation({ members: [leader(name)] }).pods[0]?.answer.status;
  assert.ok(status);
  return status;
}

test("a claim whose pod went before anybody wrote on it is identified by the list, and by the guard when it is used", () => {
  const nameless = { memberId: undefined, clusterId: undefined };
  const members = [leader("a"), unknown("b", { pod: null, claim: nameless })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.deepEqual(action.members, [
    { memberId: "b", claim: { name: "b", uid: "uid-of-claim-b", resourceVersion: "1" } },
  ]);
});

test("a pod that the guard kept from its own data, because nobody had written whose it is, is identified too", () => {
  const pod = { memberId: undefined, refusal: "not-empty" } as const;
  const members = [leader("a"), unknown("b", { pod, claim: { memberId: undefined, clusterId: undefined } })];
  const action = plan(anObservation({ members, claims: true }));
  assert.deepEqual(action.kind === "identify-members" && action.members.map(Object.keys), [
    ["memberId", "pod", "claim"],
  ]);
});
