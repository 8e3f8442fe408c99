import { type Cause, forbidden, invalid, notSupported, required } from "../cause.ts";
import { fieldPath } from "../cel/field-paths.ts";
import { child, entry } from "../field-path.ts";
import type { Rule, Schema } from "../schema.ts";
import { listTypeCauses, mapTypeCauses } from "./list-type-rules.ts";

interface Surroundings {
  /** Set where defaults may not be: why. */
  readonly noDefaults?: string;
  readonly isRoot?: boolean;
  readonly isMeta?: boolean;
}

/** Constructs of OpenAPI that a CRD's schema may not use, and uses that contradict each other. */
export function schemaRuleCauses(schema: Schema, path: string, around: Surroundings = { isRoot: true }): Cause[] {
  return [
    ...ownCauses(schema, path, around),
    ...below(schema, path, around),
    ...(schema["x-kubernetes-preserve-unknown-fields"] === false
      ? [invalid(child(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined")]
      : []),
    ...mapTypeCauses(schema, path),
    ...listTypeCauses(schema, path),
    ...(schema["x-kubernetes-validations"] ?? []).flatMap((rule, i) =>
      ruleCauses(schema, rule, entry(child(path, "x-kubernetes-validations"), i)),
    ),
  ];
}

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

const UNSUPPORTED = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"] as const;

function ownCauses(schema: Schema, path: string, { noDefaults, isMeta }: Surroundings): Cause[] {
  const given = schema as Record<string, unknown>;
  const at = (name: string) => child(path, name);
  return [
    ...(schema.type && !TYPES.includes(schema.type) ? [notSupported(at("type"), schema.type, TYPES)] : []),
    ...(schema.default !== undefined && noDefaults ? [forbidden(at("default"), `must not be set ${noDefaults}`)] : []),
    ...UNSUPPORTED.filter((name) => given[name]).map((name) => forbidden(at(name), `${name} is not supported`)),
    ...(schema.type === "null"
      ? [forbidden(at("type"), "type cannot be set to null, use nullable as an alternative")]
      : []),
    ...(Array.isArray(schema.items) ? [forbidden(at("items"), "items must be a schema object and not an array")] : []),
    ...(isMeta && schema["x-kubernetes-embedded-resource"]
      ? [forbidden(at("x-kubernetes-embedded-resource"), "must not be used inside of resource meta")]
      : []),
    ...(schema.uniqueItems
      ? [
          forbidden(
            at("uniqueItems"),
            "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
          ),
        ]
      : []),
    ...(schema.properties && schema.additionalProperties !== undefined && schema.additionalProperties !== true
      ? [forbidden(at("additionalProperties"), "additionalProperties and properties are mutual exclusive")]
      : []),
  ];
}

const META: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

function below(schema: Schema, path: string, { isRoot, ...around }: Surroundings): Cause[] {
  const go = (each: unknown, at: string, more: Surroundings = {}) =>
    typeof each === "object" && each !== null ? schemaRuleCauses(each as Schema, at, { ...around, ...more }) : [];
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"];
  const values = around.isMeta ? { noDefaults: "inside additionalProperties applying to object metadata" } : {};
  return [
    ...go(schema.additionalProperties, child(path, "additionalProperties"), values),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      go(each, entry(child(path, "properties"), name), {
        ...(isResource && META.has(name) && { isMeta: true }),
        ...(isRoot && META.has(name) && { noDefaults: `in top-level ${name}` }),
      }),
    ),
    ...go(schema.not, child(path, "not")),
    ...(["allOf", "oneOf", "anyOf"] as const).flatMap((name) =>
      (schema[name] ?? []).flatMap((each, i) => go(each, entry(child(path, name), i))),
    ),
    ...(Array.isArray(schema.items)
      ? schema.items.flatMap((each, i) => go(each, entry(child(path, "items"), i)))
      : go(schema.items, child(path, "items"))),
  ];
}

const REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function ruleCauses(schema: Schema, rule: Rule, path: string): Cause[] {
  const { message = "", messageExpression = "", fieldPath: wanted = "", reason } = rule;
  const text = (rule.rule ?? "").trim();
  return [
    ...(text === "" ? [required(child(path, "rule"), "rule is not specified")] : messageCauses(text, message, path)),
    ...(messageExpression !== "" && messageExpression.trim() === ""
      ? [required(child(path, "messageExpression"), "messageExpression must be non-empty if specified")]
      : []),
    ...(reason !== undefined && !REASONS.includes(reason)
      ? [notSupported(child(path, "reason"), reason, REASONS)]
      : []),
    ...(wanted !== "" && wanted.trim() === ""
      ? [invalid(child(path, "fieldPath"), wanted, "must be non-empty if specified")]
      : []),
    ...(hasNewlines(wanted) ? [invalid(child(path, "fieldPath"), wanted, "must not contain line breaks")] : []),
    ...(wanted !== "" && fieldPath(schema, wanted) === undefined
      ? [invalid(child(path, "fieldPath"), wanted, "must be a valid path")]
      : []),
  ];
}

function messageCauses(rule: string, message: string, path: string): Cause[] {
  const at = child(path, "message");
  const text = message.trim();
  if (message !== "" && text === "") return [invalid(at, message, "must be non-empty if specified")];
  if (hasNewlines(text)) return [invalid(at, message, "must not contain line breaks")];
  if (!hasNewlines(rule) || text !== "") return [];
  return [required(at, "message must be specified if rule contains line breaks")];
}

function hasNewlines(text: string): boolean {
  return /[\n\r]/.test(text);
}
