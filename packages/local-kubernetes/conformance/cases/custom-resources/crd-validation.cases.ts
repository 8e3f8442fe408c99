import { describe, expect, test } from "vitest";
import { customKind, type Schema } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const named = { type: "object", required: ["name"], properties: { name: { type: "string" } } };

const fields: Readonly<Record<string, Schema>> = {
  size: { type: "integer", minimum: 1, maximum: 7 },
  ratio: { type: "number" },
  above: { type: "integer", minimum: 0, exclusiveMinimum: true },
  mode: { type: "string", enum: ["A", "B"] },
  letters: { type: "string", pattern: "^a+$", minLength: 2, maxLength: 4 },
  list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  byName: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: named },
  map: { type: "object", maxProperties: 1, additionalProperties: { type: "integer" } },
  port: { "x-kubernetes-int-or-string": true },
  when: { type: "string", format: "date-time" },
  flag: { type: "boolean" },
  either: {
    type: "object",
    properties: { left: { type: "string" }, right: { type: "string" } },
    oneOf: [{ required: ["left"] }, { required: ["right"] }],
  },
};

// Without size, which every case has.
const refusals: readonly (readonly [spec: object, field: string, reason: string, message: string])[] = [
  [
    { size: 0 },
    "size",
    "FieldValueInvalid",
    "Invalid value: 0: spec.size in body should be greater than or equal to 1",
  ],
  [{ size: 8 }, "size", "FieldValueInvalid", "Invalid value: 8: spec.size in body should be less than or equal to 7"],
  [
    { size: "3" },
    "size",
    "FieldValueTypeInvalid",
    'Invalid value: "string": spec.size in body must be of type integer: "string"',
  ],
  [
    { size: 1.5 },
    "size",
    "FieldValueTypeInvalid",
    'Invalid value: "number": spec.size in body must be of type integer: "number"',
  ],
  [
    { ratio: "1" },
    "ratio",
    "FieldValueTypeInvalid",
    'Invalid value: "string": spec.ratio in body must be of type number: "string"',
  ],
  [{ above: 0 }, "above", "FieldValueInvalid", "Invalid value: 0: spec.above in body should be greater than 0"],
  [{ mode: "C" }, "mode", "FieldValueNotSupported", 'Unsupported value: "C": supported values: "A", "B"'],
  [
    { letters: "ab" },
    "letters",
    "FieldValueInvalid",
    "Invalid value: \"ab\": spec.letters in body should match '^a+$'",
  ],
  [
    { letters: "a" },
    "letters",
    "FieldValueInvalid",
    'Invalid value: "a": spec.letters in body should be at least 2 chars long',
  ],
  [{ letters: "aaaaa" }, "letters", "FieldValueTooLong", "Too long: may not be more than 4 bytes"],
  [{ list: [] }, "list", "FieldValueInvalid", "Invalid value: 0: spec.list in body should have at least 1 items"],
  [{ list: ["a", "b", "c"] }, "list", "FieldValueTooMany", "Too many: 3: must have at most 2 items"],
  [
    { list: [1] },
    "list[0]",
    "FieldValueTypeInvalid",
    'Invalid value: "integer": spec.list[0] in body must be of type string: "integer"',
  ],
  [{ set: ["a", "a"] }, "set[1]", "FieldValueDuplicate", 'Duplicate value: "a"'],
  [{ byName: [{ name: "a" }, { name: "a" }] }, "byName[1]", "FieldValueDuplicate", 'Duplicate value: {"name":"a"}'],
  [{ byName: [{}] }, "byName[0].name", "FieldValueRequired", "Required value"],
  [{ map: { a: 1, b: 2 } }, "map", "FieldValueTooMany", "Too many: 2: must have at most 1 item"],
  [
    { map: { a: "x" } },
    "map.a",
    "FieldValueTypeInvalid",
    'Invalid value: "string": spec.map.a in body must be of type integer: "string"',
  ],
  [
    { port: true },
    "port",
    "FieldValueTypeInvalid",
    'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
  ],
  [
    { when: "yesterday" },
    "when",
    "FieldValueTypeInvalid",
    'Invalid value: "yesterday": spec.when in body must be of type date-time: "yesterday"',
  ],
  [
    { flag: "true" },
    "flag",
    "FieldValueTypeInvalid",
    'Invalid value: "string": spec.flag in body must be of type boolean: "string"',
  ],
];

const allowed: readonly (readonly [what: string, spec: object])[] = [
  ["the lowest and the highest number", { size: 7, above: 1 }],
  ["a whole number where a number may have a fraction", { ratio: 2 }],
  ["an integer or a string for int-or-string", { port: "http" }],
  ["a date with a time zone", { when: "2026-01-02T03:04:05.678+02:00" }],
  ["an empty map and list of a set", { map: {}, set: [] }],
  ["one of oneOf", { either: { left: "x" } }],
];

export function crdValidationCases(target: () => ConformanceTarget): void {
  describe("validation of custom resources", () => {
    const at = scopeOf(target);
    const spec = { type: "object", required: ["size"], properties: fields };
    const kind = customKind(target, { schema: { properties: { spec } } });
    const post = (spec: unknown) =>
      at().rest("POST", `${at().path(kind.resource)}?dryRun=All`, kind.widget("w", { spec }));

    test.each(refusals)("%j is refused at spec.%s with %s", async (spec, field, reason, message) => {
      const { code, body } = await post({ size: 1, ...spec });
      expect(code).toBe(422);
      expect(body).toMatchObject({
        reason: "Invalid",
        message: `Widget.${kind.group} "w" is invalid: spec.${field}: ${message}`,
        details: {
          name: "w",
          group: kind.group,
          kind: "Widget",
          causes: [{ reason, field: `spec.${field}`, message }],
        },
      });
    });

    test.each(allowed)("%s is taken", async (_, spec) => {
      expect(expectCode(201, await post({ size: 1, ...spec })).spec).toMatchObject(spec);
    });

    test("a missing required field is refused with FieldValueRequired", async () => {
      const { code, body } = await post({});
      expect(code).toBe(422);
      expect(body).toMatchObject({
        message: `Widget.${kind.group} "w" is invalid: spec.size: Required value`,
        details: { causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.size" }] },
      });
    });

    test("a list where there must be an object is refused by its type", async () => {
      const { body } = await post([]);
      expect(body).toMatchObject({ details: { causes: [{ reason: "FieldValueTypeInvalid", field: "spec" }] } });
    });

    test("neither of oneOf is refused", async () => {
      const { code, body } = await post({ size: 1, either: {} });
      expect(code).toBe(422);
      expect(body.message).toContain("spec.either");
      expect(body.message).toContain('"spec.either" must validate one and only one schema (oneOf). Found none valid');
    });

    test("every error is told at once, each a cause of its own, the message in brackets", async () => {
      const { body } = await post({ size: 0, mode: "C" });
      const { causes } = body.details as { causes: { field: string }[] };
      expect(causes.map(({ field }) => field).sort()).toEqual(["spec.mode", "spec.size"]);
      expect(body.message).toMatch(/^Widget\.\S+ "w" is invalid: \[spec\..*, spec\..*\]$/);
    });

    test("an update is validated as a create is", async () => {
      const object = await at().create(kind.resource, kind.widget("updated", { spec: { size: 1 } }));
      const path = at().path(kind.resource, "updated");
      expect((await at().rest("PUT", path, { ...object, spec: { size: 9 } })).code).toBe(422);
      expect((await at().rest("PATCH", path, { spec: { size: 9 } })).code).toBe(422);
      expect((await at().get(kind.resource, "updated")).spec).toEqual({ size: 1 });
    });

    test("metadata is validated as for every kind", async () => {
      const { code, body } = await at().rest(
        "POST",
        at().path(kind.resource),
        kind.widget("Upper", { spec: { size: 1 } }),
      );
      expect(code).toBe(422);
      expect(body.message).toContain('metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain');
    });

    test("the body must name its kind and version", async () => {
      const { code, body } = await at().rest("POST", at().path(kind.resource), { metadata: { name: "untyped" } });
      expect(code).toBe(400);
      expect(body.reason).toBe("BadRequest");
    });
  });
}
