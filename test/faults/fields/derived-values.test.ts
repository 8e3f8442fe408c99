import assert from "node:assert/strict";
import type { StructuralSchema } from "@etcd-operator/operator/api/crd/structural-schema.ts";
import { describe, test } from "vitest";
import { derivedValues } from "./derived-values.ts";

const values = (schema: StructuralSchema, isRequired = false) =>
  Object.fromEntries(derivedValues({ schema, isRequired }).map(({ name, value, fate }) => [name, [fate, value]]));

describe("what a schema says of a property", () => {
  test("a number: its bounds, what lies beyond them, fractions and other types", () => {
    assert.deepEqual(values({ type: "integer", minimum: 1, maximum: 7 }), {
      minimum: ["works", 1],
      "below-minimum": ["refused", 0],
      maximum: ["works", 7],
      "above-maximum": ["refused", 8],
      fraction: ["refused", 1.5],
      "text-instead": ["refused", "text"],
      "list-instead": ["refused", []],
    });
  });

  test("a choice: every one of them, none of them, and one in the wrong case", () => {
    const {
      Retain,
      Delete,
      "no-choice": other,
      "wrong-case": cased,
    } = values({ type: "string", enum: ["Retain", "Delete"] });
    assert.deepEqual(
      [Retain, Delete],
      [
        ["works", "Retain"],
        ["works", "Delete"],
      ],
    );
    assert.deepEqual(
      [other, cased],
      [
        ["refused", "Sometimes"],
        ["refused", "retain"],
      ],
    );
  });

  test("a text: nothing, the longest, and one letter more", () => {
    const { empty, longest, "too-long": more } = values({ type: "string", minLength: 1, maxLength: 3 });
    assert.deepEqual(
      [empty, longest, more],
      [
        ["refused", ""],
        ["works", "aaa"],
        ["refused", "aaaa"],
      ],
    );
  });

  test("a list and a block: empty ones, too many entries, and what is required", () => {
    assert.deepEqual(values({ type: "array", maxItems: 1, items: { type: "string" } })["too-many"], [
      "refused",
      ["a", "a"],
    ]);
    assert.deepEqual(values({ type: "object" }).empty, ["works", {}]);
    assert.deepEqual(values({ type: "object", required: ["name"] }).empty, ["refused", {}]);
    assert.deepEqual(values({ type: "object", maxProperties: 1 })["too-many"], [
      "refused",
      { "key-0": "a", "key-1": "a" },
    ]);
  });

  test("a property that has to be there cannot be taken out", () => {
    assert.deepEqual(values({ type: "boolean" }, true).absent, ["refused", undefined]);
  });

  test("a number or a text takes both, and nothing else", () => {
    const {
      "text-instead": text,
      "number-instead": number,
      "list-instead": list,
    } = values({ "x-kubernetes-int-or-string": true });
    assert.deepEqual([text, number, list], [undefined, undefined, ["refused", []]]);
  });
});
