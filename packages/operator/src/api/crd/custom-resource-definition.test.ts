import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "vitest";
import { type Kind, kinds } from "../kinds.ts";
import { customResourceDefinition, SCHEMA_REVISION } from "./custom-resource-definition.ts";
import type { StructuralSchema } from "./structural-schema.ts";

/** What was last published under SCHEMA_REVISION; an operator leaves CRDs of its own revision alone. */
const PUBLISHED = { revision: 7, digest: "c14032517c0a92a8" };

test("a changed schema comes with a higher SCHEMA_REVISION", () => {
  const specs = Object.values<Kind>(kinds).map((kind) => customResourceDefinition(kind).spec);
  const withoutWords = JSON.stringify(specs, (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  );
  const digest = createHash("sha256").update(withoutWords).digest("hex").slice(0, 16);
  const remedy = "raise SCHEMA_REVISION if the last one was released, and record both here";
  assert.deepEqual({ revision: SCHEMA_REVISION, digest }, PUBLISHED, remedy);
});

describe.each(Object.values<Kind>(kinds))("the CRD of $kind", (kind) => {
  const { spec } = customResourceDefinition(kind);
  const schema = spec.versions[0]?.schema?.openAPIV3Schema as StructuralSchema;

  test("every field of spec and status is described", () => {
    const bare = fieldsOf(schema, "").filter(([path, field]) => isOurs(path) && !field.description);
    assert.deepEqual(
      bare.map(([path]) => path),
      [],
    );
  });

  test("nothing in it is beyond what a structural schema may say", () => {
    const odd = fieldsOf(schema, "").filter(
      ([, field]) => "anyOf" in field || "propertyNames" in field || "$ref" in field,
    );
    assert.deepEqual(
      odd.map(([path]) => path),
      [],
    );
    const both = fieldsOf(schema, "").filter(([, field]) => field.properties && field.additionalProperties);
    assert.deepEqual(
      both.map(([path]) => path),
      [],
    );
  });

  test("every field has a type, or is a quantity", () => {
    const untyped = fieldsOf(schema, "").filter(([, field]) => !field.type && !field["x-kubernetes-int-or-string"]);
    assert.deepEqual(
      untyped.map(([path]) => path),
      [],
    );
  });

  test("every rule has a message with a remedy", () => {
    for (const [path, field] of fieldsOf(schema, "")) {
      for (const { message } of field["x-kubernetes-validations"] ?? []) assert.match(message, /[:;]/, path);
    }
  });
});

// The fields of a list's elements that Kubernetes defines need no words of ours.
function isOurs(path: string): boolean {
  return path.startsWith(".spec") || path.startsWith(".status")
    ? !/\[\]|persistentVolumeClaimSpec\.|resources\./.test(path)
    : false;
}

function fieldsOf(schema: StructuralSchema, path: string): [string, StructuralSchema][] {
  const children = Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
    fieldsOf(child, `${path}.${name}`),
  );
  const elements = schema.items ? fieldsOf(schema.items, `${path}[]`) : [];
  return [[path, schema], ...children, ...elements];
}
