import { isDeepStrictEqual } from "node:util";
import { type Cause, forbidden, invalid, required } from "../cause.ts";
import { child, entry } from "../field-path.ts";
import { re2 } from "../re2.ts";
import { Re2Error } from "../re2-parts.ts";
import { itemsOf, propertyOf, type Schema, valuesOf } from "../schema.ts";

/** Why a schema is not structural: types everywhere, and alternatives that only restrict what is said outside of them. */
export function structuralCauses(schema: Schema, path: string): Cause[] {
  const causes = [...spine(schema, "root", path), ...incomplete(schema, schema, path, path)];
  return causes.sort((a, b) => (`${a.field}: ${a.message}` < `${b.field}: ${b.message}` ? -1 : 1));
}

type Level = "root" | "item" | "field";

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  item: "must not be empty for specified array items",
  field: "must not be empty for specified object fields",
};

function spine(schema: Schema, level: Level, path: string): Cause[] {
  const [items, values] = [itemsOf(schema), valuesOf(schema)];
  return [
    ...(schema.type === "array" && !schema.items ? [required(child(path, "items"), "must be specified")] : []),
    ...(items ? spine(items, "item", child(path, "items")) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => spine(each, "field", property(path, name))),
    ...(schema.additionalProperties !== undefined && level === "root"
      ? [forbidden(child(path, "additionalProperties"), "must not be used at the root")]
      : []),
    ...(values ? spine(values, "field", child(path, "additionalProperties")) : []),
    ...extensionCauses(schema, path),
    ...nestedIn(schema, path, isIntOrStringChoice(schema.anyOf), isIntOrStringChoice(schema.allOf?.[0]?.anyOf)),
    ...typeCauses(schema, level, path),
    ...resourceCauses(schema, level, path),
  ];
}

function extensionCauses(schema: Schema, path: string): Cause[] {
  if (!schema["x-kubernetes-int-or-string"]) return [];
  return (["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
    .filter((name) => schema[name])
    .map((name) => invalid(child(path, name), true, "must be false if x-kubernetes-int-or-string is true"));
}

function typeCauses(schema: Schema, level: Level, path: string): Cause[] {
  const { type = "" } = schema;
  const at = child(path, "type");
  if (schema["x-kubernetes-embedded-resource"] && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    return [type === "" ? required(at, detail) : invalid(at, type, detail)];
  }
  // A reference is refused for what it is.
  const mayLackType =
    "$ref" in schema || schema["x-kubernetes-int-or-string"] || schema["x-kubernetes-preserve-unknown-fields"];
  if (type === "" && !mayLackType) return [required(at, MISSING_TYPE[level])];
  return level === "root" && type !== "" && type !== "object" ? [invalid(at, type, "must be object at the root")] : [];
}

function resourceCauses(schema: Schema, level: Level, path: string): Cause[] {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const isResource = isEmbedded || level === "root";
  const causes: Cause[] = [];
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const at = child(path, "additionalProperties");
    causes.push(forbidden(at, "must not be used if x-kubernetes-embedded-resource is set"));
  }
  for (const [name, type] of [
    ["kind", "string"],
    ["apiVersion", "string"],
    ["metadata", "object"],
  ] as const) {
    const each = propertyOf(schema, name);
    if (isResource && each && each.type !== type) {
      causes.push(invalid(child(property(path, name), "type"), each.type ?? "", `must be ${type}`));
    }
  }
  const metadata = propertyOf(schema, "metadata");
  if (level === "root" && metadata && !isPlainMetadata(metadata)) {
    const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
    causes.push(forbidden(property(path, "metadata"), detail));
  }
  if (isEmbedded && !schema["x-kubernetes-preserve-unknown-fields"] && !schema.properties) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    causes.push(required(child(path, "properties"), detail));
  }
  return causes;
}

function isPlainMetadata({ type: _type, default: _default, properties = {}, ...rest }: Schema): boolean {
  const names = Object.keys(properties).filter((name) => name !== "name" && name !== "generateName");
  return names.length === 0 && Object.keys(rest).length === 0;
}

function isIntOrStringChoice(choice: readonly Schema[] | undefined): boolean {
  return isDeepStrictEqual(choice, [{ type: "integer" }, { type: "string" }]);
}

// What alternatives may not say, because it would have to hold whatever alternative is taken.
const OUTSIDE_ONLY: readonly (readonly [keyof Schema, string])[] = [
  ["type", "must be empty to be structural"],
  ["additionalProperties", "must be undefined to be structural"],
  ["default", "must be undefined to be structural"],
  ["title", "must be empty to be structural"],
  ["description", "must be empty to be structural"],
  ["nullable", "must be false to be structural"],
  ["x-kubernetes-preserve-unknown-fields", "must be false to be structural"],
  ["x-kubernetes-embedded-resource", "must be false to be structural"],
  ["x-kubernetes-int-or-string", "must be false to be structural"],
  ["x-kubernetes-list-map-keys", "must be empty to be structural"],
  ["x-kubernetes-list-type", "must be undefined to be structural"],
  ["x-kubernetes-map-type", "must be undefined to be structural"],
  ["x-kubernetes-validations", "must be empty to be structural"],
];

function nestedIn(schema: Schema, path: string, skipsAnyOf: boolean, skipsFirstAllOf: boolean): Cause[] {
  return [
    ...alternatives(schema).flatMap(({ name, index, each }) => {
      if (name === "anyOf" && skipsAnyOf) return [];
      const at = index === undefined ? child(path, name) : entry(child(path, name), index);
      return nested(each, at, name === "allOf" && index === 0 && skipsFirstAllOf);
    }),
    ...patternCauses(schema.pattern, child(path, "pattern")),
  ];
}

function nested(schema: Schema, path: string, skipsAnyOf: boolean): Cause[] {
  const items = itemsOf(schema);
  return [
    ...nestedIn(schema, path, skipsAnyOf, false),
    ...(items ? nested(items, child(path, "items"), false) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => nested(each, property(path, name), false)),
    ...OUTSIDE_ONLY.filter(([name]) => schema[name]).map(([name, detail]) => forbidden(child(path, name), detail)),
    ...(propertyOf(schema, "metadata")
      ? [forbidden(property(path, "metadata"), "must not be specified in a nested context")]
      : []),
  ];
}

function patternCauses(pattern: string | undefined, path: string): Cause[] {
  try {
    if (pattern) re2(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof Re2Error)) throw error;
    return [invalid(path, pattern, `must be a valid regular expression, but isn't: ${error.message}`)];
  }
}

// Fields that an alternative speaks of must be known outside of it.
function incomplete(schema: Schema, outside: Schema | undefined, at: string, path: string): Cause[] {
  return alternatives(schema).flatMap(({ name, index, each }) =>
    incompleteNested(each, outside, at, index === undefined ? child(path, name) : entry(child(path, name), index)),
  );
}

function incompleteNested(schema: Schema, outside: Schema | undefined, at: string, path: string): Cause[] {
  if (!outside) return [required(at, `because it is defined in ${path}`)];
  const items = itemsOf(schema);
  return [
    ...incomplete(schema, outside, at, path),
    ...(items ? incompleteNested(items, itemsOf(outside), child(at, "items"), child(path, "items")) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      incompleteNested(each, propertyOf(outside, name), property(at, name), property(path, name)),
    ),
  ];
}

interface Alternative {
  readonly name: "anyOf" | "allOf" | "oneOf" | "not";
  readonly index?: number;
  readonly each: Schema;
}

function alternatives(schema: Schema): Alternative[] {
  return [
    ...(["anyOf", "allOf", "oneOf"] as const).flatMap((name) =>
      (schema[name] ?? []).map((each, index) => ({ name, index, each })),
    ),
    ...(schema.not ? [{ name: "not" as const, each: schema.not }] : []),
  ];
}

function property(path: string, name: string): string {
  return entry(child(path, "properties"), name);
}
