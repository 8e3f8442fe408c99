import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { brokenMembership, type MemberSample } from "./broken-membership.ts";

const voter = (id: bigint) => ({ id, name: `m-${id}`, isLearner: false });
const learner = (id: bigint) => ({ id, name: `m-${id}`, isLearner: true });
const unstarted = (id: bigint, isLearner = true) => ({ id, name: "", isLearner });

function aSample(members: MemberSample["members"], given: Partial<MemberSample> = {}): MemberSample {
  return { atMs: 150, by: "a", clusterId: 1n, members, ...given };
}
const two = aSample([voter(1n), voter(2n)], { atMs: 0 });

describe("a list of members", () => {
  test("may have one that is joining", () => {
    for (const joining of [unstarted(3n), learner(3n), unstarted(3n, false)]) {
      assert.deepEqual(brokenMembership(aSample([voter(1n), voter(2n), joining]), two), []);
    }
  });

  test.each([
    ["two that have not started", unstarted(10n), unstarted(11n)],
    ["two learners", learner(10n), learner(11n)],
    ["one that has not started beside a learner", unstarted(10n, false), learner(11n)],
  ])("shows an addition beside another: %s", (_, one, other) => {
    const broken = brokenMembership(aSample([voter(1n), one, other]), undefined);
    assert.deepEqual(broken, ["a and b were joining at the same time"]);
  });
});

describe("what became of a list", () => {
  const promoted = [voter(1n), voter(2n), voter(3n)];

  test("is right when voters come one by one, and go", () => {
    assert.deepEqual(brokenMembership(aSample(promoted), two), []);
    assert.deepEqual(brokenMembership(aSample([voter(3n)]), aSample(promoted, { atMs: 0 })), []);
  });

  test("is wrong when two became voters at once", () => {
    const broken = brokenMembership(aSample([...promoted, voter(4n)]), two);
    assert.deepEqual(broken, ["3 and 4 became voters at the same time"]);
  });

  test("shows nothing when another member was asked, after a while, or of another cluster", () => {
    for (const given of [{ by: "b" }, { atMs: 5_000 }, { clusterId: 2n }]) {
      assert.deepEqual(brokenMembership(aSample([...promoted, voter(4n)], given), two), []);
    }
  });
});
