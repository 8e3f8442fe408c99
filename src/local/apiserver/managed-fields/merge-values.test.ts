import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { mergeValues } from "./merge-values.ts";
import { DEDUCED, type ListShape, type MapShape } from "./shape.ts";

const set: ListShape = { kind: "list", of: () => DEDUCED, merge: { kind: "set" } };
const named: ListShape = { kind: "list", of: () => DEDUCED, merge: { kind: "map", keys: [{ name: "name" }] } };

describe("a list that is merged item by item", () => {
  // live, applied, merged
  const orders: readonly [string, string, string][] = [
    ["", "ab", "ab"],
    ["ab", "", "ab"],
    ["ab", "ba", "ba"],
    ["abc", "c", "abc"],
    ["abc", "ca", "bca"],
    ["abc", "xb", "axbc"],
    ["pq", "zp", "zpq"],
    ["axb", "ba", "xba"],
    ["abcd", "dxa", "bcdxa"],
  ];
  test.each(orders)("%j with %j applied is %j", (live, applied, merged) => {
    assert.deepEqual(mergeValues(set, [...live], [...applied]), [...merged]);
  });

  test("merges the items of one name", () => {
    const live = [
      { name: "a", v: 1 },
      { name: "b", v: 1 },
    ];
    assert.deepEqual(mergeValues(named, live, [{ name: "b", w: 2 }]), [
      { name: "a", v: 1 },
      { name: "b", v: 1, w: 2 },
    ]);
  });
});

describe("what is applied", () => {
  const atomic: MapShape = { kind: "map", isAtomic: true, fields: new Map(), others: DEDUCED, always: [] };

  test("is laid over maps, and takes the place of what belongs together", () => {
    assert.deepEqual(mergeValues(DEDUCED, { a: { b: 1 }, l: [1] }, { a: { c: 2 }, l: [2] }), {
      a: { b: 1, c: 2 },
      l: [2],
    });
    assert.deepEqual(mergeValues(atomic, { a: 1 }, { b: 2 }), { b: 2 });
  });

  test("takes nothing away by being null where others have fields", () => {
    assert.deepEqual(mergeValues(named, [{ name: "a" }], null), [{ name: "a" }]);
    assert.equal(mergeValues(atomic, { a: 1 }, null), null);
    assert.equal(mergeValues(named, [], null), null);
  });
});
