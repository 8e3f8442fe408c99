import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  asMember,
  difference,
  type FieldSet,
  intersection,
  paths,
  recursiveDifference,
  sameSet,
  union,
} from "./field-set.ts";

const a: FieldSet = { "f:a": {}, "f:b": { ".": {}, "f:c": {} }, "f:d": { "f:e": {} } };

describe("a set of fields", () => {
  test("united with another has the fields of both, and is itself where that has no more", () => {
    assert.deepEqual(union(a, { "f:d": {}, "f:x": {} }), { ...a, "f:d": { ".": {}, "f:e": {} }, "f:x": {} });
    assert.equal(union(a, { "f:b": { "f:c": {} } }), a);
    assert.equal(union(a, {}), a);
    assert.equal(union({}, a), a);
  });

  test("loses a field and keeps what is below it", () => {
    assert.deepEqual(difference(a, { "f:b": {} }), { ...a, "f:b": { "f:c": {} } });
    assert.deepEqual(difference(a, { "f:b": { "f:c": {} } }), { ...a, "f:b": {} });
    assert.deepEqual(difference(a, { "f:d": {} }), a);
    assert.deepEqual(difference(a, a), {});
  });

  test("is the same object when nothing of it goes", () => {
    assert.equal(difference(a, { "f:x": {}, "f:d": { "f:f": {} } }), a);
  });

  test("loses a field with everything below it", () => {
    const { "f:b": _, ...rest } = a;
    assert.deepEqual(recursiveDifference(a, { "f:b": {} }), rest);
    assert.deepEqual(recursiveDifference({ "f:s": { "f:t": {} } }, { "f:s": {} }), {});
    assert.equal(recursiveDifference(a, { "f:x": {} }), a);
  });

  test("has in common with another what is in both, not what is merely above it", () => {
    assert.deepEqual(intersection(a, { "f:b": { "f:c": {} }, "f:d": {} }), { "f:b": { "f:c": {} } });
    assert.deepEqual(intersection(a, { "f:b": {}, "f:a": { "f:deep": {} } }), { "f:b": {} });
    assert.deepEqual(intersection(a, {}), {});
  });

  test("is read level by level: first the fields themselves, then what is below them", () => {
    assert.deepEqual(paths(a), [["f:a"], ["f:b"], ["f:b", "f:c"], ["f:d", "f:e"]]);
  });

  test("equals another with the same fields, in whatever order", () => {
    assert.ok(sameSet(a, { "f:d": { "f:e": {} }, "f:b": { "f:c": {}, ".": {} }, "f:a": {} }));
    assert.ok(!sameSet(a, { ...a, "f:d": asMember(a["f:d"]) }));
  });
});
