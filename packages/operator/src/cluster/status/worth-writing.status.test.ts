import assert from "node:assert/strict";
import { anObservation, CLUSTER_ID } from "@etcd-operator/testing/cluster/an-observation.ts";
import { statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { MemberStatus } from "./member-status.status.ts";
import { isWorthWriting } from "./worth-writing.status.ts";

const MEBIBYTE = 1024 * 1024;
const written = statusOf(anObservation({ status: { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running" } }));

/** The same status, with something else said of its first member. */
function withMember(change: Partial<MemberStatus>, status: EtcdClusterStatus = written): EtcdClusterStatus {
  const [first, ...rest] = status.memberStatus ?? [];
  assert.ok(first);
  return { ...status, memberStatus: [{ ...first, ...change }, ...rest] };
}

describe("a status is worth writing", () => {
  const cases: [what: string, next: EtcdClusterStatus][] = [
    ["a member's health changed", withMember({ health: "Unknown" })],
    ["a member's role changed", withMember({ role: "Follower" })],
    ["the phase changed", { ...written, phase: "Failed" }],
    ["it speaks of a newer spec", { ...written, observedGeneration: 2 }],
    ["an intent was added", { ...written, memberIntents: [{ name: "d", incarnation: 1, purpose: "Join" }] }],
    ["a member is not ready any more", { ...written, members: { ready: ["a", "b"], unready: ["c"] } }],
    [
      "a condition has another message",
      { ...written, conditions: written.conditions?.map((each) => ({ ...each, message: "x" })) },
    ],
  ];
  for (const [what, next] of cases) {
    test(`when ${what}`, () => assert.equal(isWorthWriting(written, next), true));
  }

  test("when there was none", () => assert.equal(isWorthWriting(undefined, written), true));
});

describe("a status is not worth writing", () => {
  test("when it says the same in another order", () => {
    const { memberStatus = [], members = {}, conditions = [], ...rest } = structuredClone(written);
    const shuffled = {
      members: { unready: [], ready: members.ready?.toReversed() },
      conditions: conditions.toReversed(),
      memberStatus: memberStatus
        .map((member) => Object.fromEntries(Object.entries(member).reverse()) as MemberStatus)
        .reverse(),
      ...rest,
    };
    assert.equal(isWorthWriting(written, shuffled), false);
  });

  test("when only a revision moved on", () => {
    assert.equal(isWorthWriting(written, withMember({ revision: 12_345 })), false);
  });
});

describe("the size of a database", () => {
  const cases: [before: number, after: number, isWorth: boolean][] = [
    [20_480, MEBIBYTE, false],
    [100 * MEBIBYTE, 105 * MEBIBYTE, false],
    [100 * MEBIBYTE, 120 * MEBIBYTE, true],
    [100 * MEBIBYTE, 50 * MEBIBYTE, true],
    [20_480, 20 * MEBIBYTE, true],
  ];
  for (const [before, after, isWorth] of cases) {
    test(`is ${isWorth ? "" : "not "}worth writing when it goes from ${before} to ${after}`, () => {
      const old = withMember({ databaseSizeBytes: before });
      assert.equal(isWorthWriting(old, withMember({ databaseSizeBytes: after })), isWorth);
    });
  }

  test("is compared with what was written, so that slow growth is reported in the end", () => {
    const sizes = [100, 105, 109, 112].map((size) => withMember({ databaseSizeBytes: size * MEBIBYTE }));
    const [first, ...later] = sizes;
    assert.deepEqual(
      later.map((next) => isWorthWriting(first, next)),
      [false, false, true],
    );
  });
});
