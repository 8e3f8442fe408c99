import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { canLoseOneMore, hasQuorum, keepsQuorumWithNewVoter, keepsQuorumWithout, type Voter } from "./quorum.ts";

/** "++-" is three voters, the last of which is down or unknown; they are called a, b, c. */
const voters = (pattern: string): Voter[] =>
  [...pattern].map((sign, index) => ({ name: "abcdefg"[index] ?? "", isUp: sign === "+" }));

describe("a quorum", () => {
  const cases: [pattern: string, has: boolean][] = [
    ["+", true],
    ["-", false],
    ["+-", false],
    ["++", true],
    ["++-", true],
    ["+--", false],
    ["++--", false],
    ["+++--", true],
  ];
  for (const [pattern, has] of cases) {
    test(`${pattern} ${has ? "has" : "lacks"} one`, () => assert.equal(hasQuorum(voters(pattern)), has));
  }
});

describe("removing a voter", () => {
  const cases: [pattern: string, victim: string, keeps: boolean][] = [
    ["+", "a", false],
    ["++", "a", true],
    ["+-", "b", true],
    ["+-", "a", false],
    ["++-", "c", true],
    ["++-", "a", false],
    ["+++", "a", true],
    ["+++-", "a", true],
    ["++--", "d", true],
    ["++--", "a", false],
  ];
  for (const [pattern, victim, keeps] of cases) {
    test(`${victim} from ${pattern} ${keeps ? "keeps" : "loses"} the quorum`, () => {
      assert.equal(keepsQuorumWithout(voters(pattern), victim), keeps);
    });
  }
});

describe("adding a voter that may never start", () => {
  const cases: [pattern: string, keeps: boolean][] = [
    ["+", false],
    ["++", true],
    ["+++", true],
    ["++-", false],
    ["++++", true],
    ["+++-", true],
  ];
  for (const [pattern, keeps] of cases) {
    test(`to ${pattern} ${keeps ? "keeps" : "loses"} the quorum`, () => {
      assert.equal(keepsQuorumWithNewVoter(voters(pattern)), keeps);
    });
  }
});

describe("losing one more", () => {
  const cases: [pattern: string, can: boolean][] = [
    ["", false],
    ["+", false],
    ["++", false],
    ["+++", true],
    ["++-", false],
    ["++++", true],
    ["+++-", false],
    ["++++-", true],
    ["+++--", false],
  ];
  for (const [pattern, can] of cases) {
    test(`${pattern || "no member"} ${can ? "can bear it" : "cannot bear it"}`, () => {
      assert.equal(canLoseOneMore(voters(pattern)), can);
    });
  }
});
