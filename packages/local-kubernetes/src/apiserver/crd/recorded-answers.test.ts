import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { Cause } from "./cause.ts";
import { compileCrd } from "./compile-crd.ts";
import type { CrdVersion, CustomResourceDefinition } from "./custom-resource-definition.ts";
import collections from "./recorded/collections.json" with { type: "json" };
import combinations from "./recorded/combinations.json" with { type: "json" };
import ratcheting from "./recorded/ratcheting.json" with { type: "json" };
import rules from "./recorded/rules.json" with { type: "json" };
import scalars from "./recorded/scalars.json" with { type: "json" };
import transitions from "./recorded/transitions.json" with { type: "json" };
import type { JsonObject, Schema } from "./schema.ts";

// The tables hold what a kube-apiserver 1.34.10 answered to the same CRDs and objects.
const tables: Readonly<Record<string, unknown>> = {
  scalars,
  collections,
  combinations,
  rules,
  transitions,
  ratcheting,
};

interface Table {
  readonly schema: Schema;
  readonly subresources?: CrdVersion["subresources"];
  readonly cases: readonly ObjectCase[];
}

interface ObjectCase {
  readonly name: string;
  readonly old?: JsonObject;
  readonly object: JsonObject;
  readonly subresource?: "status";
  readonly unknown?: readonly string[];
  readonly causes?: readonly string[];
  readonly stored?: JsonObject;
}

for (const [name, recorded] of Object.entries(tables)) {
  const { schema, subresources = {}, cases } = recorded as Table;
  const version = compileCrd(aCrd({ schema: { openAPIV3Schema: schema }, subresources })).versions.get("v1");
  assert.ok(version);

  describe(`objects are judged as a real API server judges them: ${name}`, () => {
    for (const given of cases) {
      test(given.name, () => {
        const [pruned, old] = [version.prune(aCat(given.object)), given.old && version.prune(aCat(given.old)).object];
        const arrived = version.applyDefaults(pruned.object);
        const { subresource } = given;
        const causes = version.validate(arrived, old && version.applyDefaults(old), subresource ? { subresource } : {});
        assert.deepEqual(lines(causes), given.causes ?? []);
        if (!given.old) assert.deepEqual(pruned.unknownFields, given.unknown ?? []);
        if (given.stored) assert.deepEqual(arrived.spec, given.stored.spec);
      });
    }
  });
}

function aCrd(version: Pick<CrdVersion, "schema" | "subresources">): CustomResourceDefinition {
  return {
    metadata: { name: "cats.cmp.example.com" },
    spec: {
      group: "cmp.example.com",
      scope: "Namespaced",
      names: { plural: "cats", singular: "cat", kind: "Cat", listKind: "CatList" },
      versions: [{ name: "v1", served: true, storage: true, ...version }],
    },
  };
}

function aCat(rest: JsonObject): JsonObject {
  return { apiVersion: "cmp.example.com/v1", kind: "Cat", metadata: { name: "tom", namespace: "default" }, ...rest };
}

function lines(causes: readonly Cause[]): string[] {
  return causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
}
