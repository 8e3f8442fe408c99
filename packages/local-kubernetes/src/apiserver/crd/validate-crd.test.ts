import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compileCrd } from "./compile-crd.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { Schema } from "./schema.ts";
import { validateCrd } from "./validate-crd.ts";

function aCrd(spec: Partial<CustomResourceDefinition["spec"]> = {}): CustomResourceDefinition {
  return {
    metadata: { name: "cats.a.example.com" },
    spec: {
      group: "a.example.com",
      scope: "Namespaced",
      names: { plural: "cats", kind: "Cat" },
      versions: [{ name: "v1", served: true, storage: true }],
      ...spec,
    },
  };
}

describe("a CRD is refused that cannot be served", () => {
  const [version] = aCrd().spec.versions;
  assert.ok(version);

  test.each<[string, Partial<CustomResourceDefinition["spec"]>, string]>([
    ["of an unknown scope", { scope: "World" }, "spec.scope"],
    ["under another name than its own", { names: { plural: "dogs", kind: "Dog" } }, "metadata.name"],
    ["without a kind", { names: { plural: "cats", kind: "" } }, "spec.names.kind"],
    ["without a version", { versions: [] }, "spec.versions"],
    ["with two stored versions", { versions: [version, { ...version, name: "v2" }] }, "spec.versions"],
    ["with a webhook", { conversion: { strategy: "Webhook" } }, "spec.conversion.strategy"],
  ])("%s", (_, spec, field) => {
    assert.deepEqual(
      validateCrd(aCrd(spec)).map((cause) => cause.field),
      [field],
    );
  });

  test("with another scope than its stored objects", () => {
    assert.deepEqual(
      validateCrd(aCrd({ scope: "Cluster" }), aCrd()).map(({ field, message }) => `${field}: ${message}`),
      ['spec.scope: Invalid value: "Cluster": field is immutable'],
    );
    assert.deepEqual(validateCrd(aCrd(), aCrd()), []);
  });
});

test("a schema that makes no sense is accepted, and each object is told what cannot be checked", () => {
  const spec: Schema = {
    properties: { name: { type: "string", pattern: "(?P<" } },
    "x-kubernetes-validations": [{ rule: "self.missing > 0" }],
  };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", ...spec } } } };
  const crd = aCrd({ versions: [{ name: "v1", served: true, storage: true, schema }] });
  assert.deepEqual(validateCrd(crd), []);
  const cat = { apiVersion: "a.example.com/v1", kind: "Cat", metadata: { name: "tom" }, spec: { name: "tom" } };
  const causes = compileCrd(crd).versions.get("v1")?.validate(cat) ?? [];
  assert.deepEqual(
    causes.map(({ field, message }) => `${field}: ${message}`),
    [
      "spec.name: Invalid value: \"tom\": spec.name in body should match '(?P<, but pattern is invalid: error parsing regexp: `(?P<`'",
      'spec: Invalid value: "object": rule compile error: compilation failed: No such key: missing',
    ],
  );
});
