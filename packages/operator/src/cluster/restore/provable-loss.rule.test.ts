import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { situationOf } from "../model/situation.ts";
import { provablyLost, silentVoters } from "./provable-loss.rule.ts";

/** As a majority's word was last written down. */
function noted(...names: readonly string[]): EtcdClusterStatus {
  const entry = { role: "Follower", health: "Unknown", podHash: "h" } as const;
  const memberStatus = names.map((name) => ({ name, id: name, ...entry }));
  return { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running", memberStatus };
}

function lostIn(members: readonly MemberGiven[], given: ObservationGiven = {}) {
  const membership = members.some(({ health }) => health === "unhealthy") ? "unconfirmed" : "unknown";
  const status = noted(...members.map(({ name }) => name));
  return [...provablyLost(situationOf(anObservation({ members, membership, status, ...given })))].sort();
}

const onClaim = { pod: null, claim: {} };
const lostVolume = { claim: { hasLostVolume: true } } as const;

describe("the data of a majority is provably gone", () => {
  test.each<[string, readonly MemberGiven[], readonly string[]]>([
    ["all pods without volumes are gone", [gone("a"), gone("b"), gone("c")], ["a", "b", "c"]],
    ["two of three are gone, and the third says that it is alone", [gone("a"), gone("b"), unhealthy("c")], ["a", "b"]],
    ["two of three are gone, and nothing is heard of the third", [gone("a"), gone("b"), unknown("c")], ["a", "b"]],
    ["their pods have ended", [unknown("a", { pod: { stage: "ended" } }), gone("b"), gone("c")], ["a", "b", "c"]],
    ["the only member is gone", [gone("a")], ["a"]],
    [
      "the volumes behind the claims are gone",
      [gone("a", lostVolume), gone("b", lostVolume), unhealthy("c")],
      ["a", "b"],
    ],
    [
      "a claim was deleted under a pod that waits for it",
      [unknown("a", { pod: { stage: "pending", usesClaim: true, isScheduled: false } }), gone("b"), unhealthy("c")],
      ["a", "b"],
    ],
  ])("when %s", (_, members, lost) => {
    assert.deepEqual(lostIn(members), lost);
  });
});

describe("those that may have newer data than every member that answers", () => {
  test.each<[string, readonly MemberGiven[], readonly string[]]>([
    ["is one that nothing is heard of", [gone("a"), gone("b"), unknown("c")], ["c"]],
    ["is one whose claim is there, and whose pod is not", [gone("a"), gone("b"), gone("c", onClaim)], ["c"]],
    ["is not one who answers", [gone("a"), gone("b"), unhealthy("c")], []],
    ["is none where all is lost", [gone("a"), gone("b"), gone("c")], []],
  ])("%s", (_, members, silent) => {
    const membership = members.some(({ health }) => health === "unhealthy") ? "unconfirmed" : "unknown";
    const status = noted(...members.map(({ name }) => name));
    assert.deepEqual(silentVoters(situationOf(anObservation({ members, membership, status }))), silent);
  });
});

describe("the data of a majority may be there", () => {
  test.each<[string, readonly MemberGiven[]]>([
    ["members are only out of reach", [unknown("a"), unknown("b"), unknown("c")]],
    ["two are out of reach and one is gone", [unknown("a"), unknown("b"), gone("c")]],
    [
      "their pods wait for a node",
      [unknown("a", { pod: { stage: "pending" } }), unknown("b", { pod: { stage: "pending" } }), gone("c")],
    ],
    [
      "their pods are being deleted",
      [unknown("a", { pod: { isTerminating: true } }), unknown("b", { pod: { isTerminating: true } }), gone("c")],
    ],
    ["their claims are there", [gone("a", onClaim), gone("b", onClaim), gone("c")]],
    [
      "their claims are being deleted",
      [gone("a", { claim: { isTerminating: true } }), gone("b", { claim: { isTerminating: true } }), gone("c")],
    ],
    [
      "the guard refused their volumes",
      [unknown("a", { pod: { refusal: "data-gone" } }), unknown("b", { pod: { refusal: "data-gone" } }), gone("c")],
    ],
    ["their volumes are gone under pods that run", [unknown("a", lostVolume), unknown("b", lostVolume), gone("c")]],
    ["a majority is left", [gone("a"), unhealthy("b"), unhealthy("c")]],
    [
      "one of two is gone, and nothing is heard of the other: it may have been told that it is alone now",
      [gone("a"), unknown("b")],
    ],
    [
      "two of four are gone, and nothing is heard of the others: one removal may not be on record",
      [gone("a"), gone("b"), unknown("c"), unknown("d")],
    ],
  ])("when %s", (_, members) => {
    assert.deepEqual(lostIn(members), []);
  });

  test("when a majority serves", () => {
    assert.deepEqual(lostIn([healthy("a"), healthy("b"), gone("c")], { membership: "confirmed" }), []);
  });

  test("when a survivor reports members that were replaced long ago, while the recorded ones are only unreachable", () => {
    const members = [
      gone("a"),
      gone("b"),
      unhealthy("c"),
      unknown("d", { listed: false }),
      unknown("e", { listed: false }),
    ];
    assert.deepEqual(lostIn(members, { status: noted("c", "d", "e") }), []);
  });

  test("when the survivor's list and the one on record agree that it is lost, it is", () => {
    const members = [gone("a"), gone("b"), unhealthy("c")];
    assert.deepEqual(lostIn(members, { status: noted("b", "c", "x") }), ["a", "b", "x"]);
  });

  test("when nothing is on record, and a member has an identity that the survivor does not know", () => {
    const status = { clusterID: CLUSTER_ID, incarnation: 1 };
    const members = [gone("a"), gone("b"), unhealthy("c")];
    assert.deepEqual(lostIn(members, { status }), ["a", "b"]);
    const stranger = unknown("d", { listed: false, pod: { memberId: "d" } });
    assert.deepEqual(lostIn([...members, stranger], { status }), []);
  });

  test("when the missing members run elsewhere, or were just joining", () => {
    const status = noted("a", "b", "c");
    const elsewhere = {
      ...status,
      memberStatus: status.memberStatus?.map(({ podHash: _, ...member }) => member) ?? [],
    };
    assert.deepEqual(lostIn([gone("a"), gone("b"), gone("c")], { status: elsewhere }), []);
    const memberIntents = ["a", "b"].map((name) => ({ name, incarnation: 1, purpose: "Join" as const }));
    assert.deepEqual(lostIn([gone("a"), gone("b"), unknown("c")], { status: { ...status, memberIntents } }), []);
  });

  test("while a restore is under way, and before there is a cluster", () => {
    const members = [gone("a"), gone("b"), gone("c")];
    for (const state of ["Fencing", "Restoring", "RollingBack"] as const) {
      const status = { ...noted("a", "b", "c"), ...inRestore(state), clusterID: CLUSTER_ID };
      assert.deepEqual(lostIn(members, { status }), [], state);
    }
    assert.deepEqual(lostIn(members, { status: { phase: "Creating" } }), []);
  });
});

test("a restored cluster that is on record can be lost before all members have joined", () => {
  const joining = { ...noted("a"), ...inRestore("Joining"), clusterID: CLUSTER_ID };
  assert.deepEqual(lostIn([gone("a")], { status: joining }), ["a"]);
  const intent = (purpose: "Seed" | "Join") => ({ memberIntents: [{ name: "a", incarnation: 2, purpose }] });
  assert.deepEqual(lostIn([gone("a")], { status: { ...joining, incarnation: 2, ...intent("Seed") } }), ["a"]);
  assert.deepEqual(lostIn([gone("a")], { status: { ...joining, incarnation: 2, ...intent("Join") } }), []);
  assert.deepEqual(lostIn([unknown("a")], { status: joining }), []);
});

test("one that was added where there are no learners, and never reported its name, may have the data of the others", () => {
  const joined = (more: object) =>
    unknown("b", { listed: false, pod: { memberId: undefined, stage: "pending", ...more } });
  const silentOf = (version: string, more: object = {}) => {
    const members = [gone("a"), joined(more)];
    const given = { members, membership: "unknown", status: noted("a"), spec: { version } } as const;
    return silentVoters(situationOf(anObservation(given)));
  };
  assert.deepEqual(silentOf("3.3.25"), ["b"]);
  assert.deepEqual(silentOf("3.3.25", { stage: "ended" }), []);
  assert.deepEqual(silentOf("3.5.30"), [], "there it is a learner");
});
