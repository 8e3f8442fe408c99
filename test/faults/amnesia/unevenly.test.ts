import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { unevenly } from "./unevenly.ts";

const onClaims = { claims: true, expect: {} };
const keepsOne = { claims: true, expect: { claimsLeft: 1 } };
const even = { members: ["a", "b"], pods: ["a", "b"], claims: ["a", "b"] };

describe("members, pods and claims", () => {
  test("fit together where each has the others", () => {
    assert.deepEqual(unevenly(even, onClaims), []);
    assert.deepEqual(unevenly({ ...even, claims: [] }, { ...onClaims, claims: false }), []);
  });

  test("without a member are left over", () => {
    const more = { ...even, pods: ["a", "b", "c"], claims: ["a", "b", "d"] };
    assert.deepEqual(unevenly(more, onClaims), ["pod c is left", "claim d is left"]);
  });

  test("are missed where a member has no claim", () => {
    assert.deepEqual(unevenly({ ...even, claims: ["a"] }, onClaims), ["a member has no claim"]);
  });

  test("that have to stay are there, no more and no fewer", () => {
    assert.deepEqual(unevenly({ ...even, claims: ["a", "b", "c"] }, keepsOne), []);
    assert.match(unevenly(even, keepsOne).join(), /0 of 1 claims have stayed/);
    assert.equal(unevenly({ ...even, claims: ["a", "b", "c", "d"] }, keepsOne).length, 2);
  });
});
