import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compileCrd } from "../../src/local/apiserver/crd/compile-crd.ts";
import type { CustomResourceDefinition } from "../../src/local/apiserver/crd/custom-resource-definition.ts";
import { customKind } from "./custom-kinds.ts";
import { drawOf } from "./draw.ts";
import { spoiled } from "./spoil.ts";
import { goodValue } from "./values.ts";

describe("values for a schema", () => {
  test.each([
    [{ type: "string", enum: ["a", "b"] }, /^[ab]$/],
    [{ type: "integer", minimum: 2, maximum: 3 }, /^[23]$/],
    [{ type: "string", format: "ipv4" }, /^10\.0\.0\.1$/],
    [{ type: "boolean" }, /^(true|false)$/],
  ])("%j is kept to", (schema, expected) => {
    for (let seed = 0; seed < 50; seed += 1) assert.match(String(goodValue(drawOf(seed), schema)), expected);
  });

  test("a list by keys has each key once", () => {
    const items = { type: "object", properties: { name: { type: "integer", maximum: 1 } }, required: ["name"] };
    const schema = { type: "array", minItems: 3, items, "x-kubernetes-list-type": "map" };
    for (let seed = 0; seed < 50; seed += 1) {
      const names = (goodValue(drawOf(seed), schema) as { name: number }[]).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length);
    }
  });

  test("most objects of random kinds hold what their schemas say", () => {
    let held = 0;
    for (let seed = 0; seed < 100; seed += 1) {
      const kind = customKind(drawOf(seed), "run", seed);
      const compiled = compileCrd(kind.crd as unknown as CustomResourceDefinition).versions.get(kind.version);
      const causes = compiled?.validate({ metadata: { name: "a" }, ...kind.good(drawOf(seed + 1)) }) ?? [];
      if (causes.length === 0) held += 1;
    }
    assert.ok(held > 40, `${held} of 100`);
  });

  test("a spoiled value differs, and the original stays as it was", () => {
    const value = { spec: { list: [1, 2], text: "x" } };
    const copy = structuredClone(value);
    const outcomes = Array.from({ length: 30 }, (_, seed) => JSON.stringify(spoiled(drawOf(seed), value)));
    assert.deepEqual(value, copy);
    assert.ok(outcomes.filter((outcome) => outcome !== JSON.stringify(copy)).length > 25);
  });
});
