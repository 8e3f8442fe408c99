import type { Draw } from "./draw.ts";
import type { Json } from "./request.ts";
import { FORMATS, PATTERNS, RULES, WORDS } from "./schema-examples.ts";
import { goodValue } from "./values.ts";

/** A random structural schema of a whole object. */
export function rootSchema(draw: Draw): Json {
  const status = draw.chance(0.7) ? { status: objectSchema(draw, 2) } : {};
  const extra = draw.chance(0.2) ? { extra: anySchema(draw, 2) } : {};
  return {
    type: "object",
    properties: { spec: objectSchema(draw, 0), ...status, ...extra },
    ...(draw.chance(0.3) && { required: ["spec"] }),
    ...(draw.chance(0.1) && { "x-kubernetes-preserve-unknown-fields": true }),
  };
}

const DEEPEST = 3;

function anySchema(draw: Draw, depth: number): Json {
  const isDeep = depth >= DEEPEST;
  const schema = draw.weighted<(draw: Draw, depth: number) => Json>([
    [6, stringSchema],
    [4, integerSchema],
    [2, numberSchema],
    [2, () => ({ type: "boolean" })],
    [2, () => ({ "x-kubernetes-int-or-string": true })],
    [isDeep ? 0 : 4, objectSchema],
    [isDeep ? 0 : 4, listSchema],
    [isDeep ? 0 : 2, mapSchema],
    [1, () => ({ type: "object", "x-kubernetes-preserve-unknown-fields": true })],
  ])(draw, depth);
  return decorated(draw, schema);
}

/** Nullable, with a default, a description, rules: what any schema may have beside its type. */
function decorated(draw: Draw, schema: Json): Json {
  const isNullable = draw.chance(0.12);
  const described = {
    ...schema,
    ...(isNullable && { nullable: true }),
    ...(draw.chance(0.1) && { description: "A field." }),
  };
  const ruled = draw.chance(0.25) ? { ...described, ...rulesFor(draw, schema) } : described;
  // A default has to pass the rules, and those of a transition know no old value.
  if (!draw.chance(0.3) || "x-kubernetes-validations" in ruled) return ruled;
  return { ...ruled, default: isNullable && draw.chance(0.2) ? null : goodValue(draw, schema, true) };
}

function stringSchema(draw: Draw): Json {
  const limits = { ...(draw.chance(0.5) && { minLength: draw.between(1, 2) }), maxLength: draw.between(3, 12) };
  return draw.weighted<() => Json>([
    [4, () => ({ type: "string" })],
    [2, () => ({ type: "string", ...limits })],
    [3, () => ({ type: "string", enum: distinct(draw, WORDS, 3) })],
    [3, () => ({ type: "string", format: draw.of(Object.keys(FORMATS)) })],
    [3, () => ({ type: "string", pattern: draw.of(Object.keys(PATTERNS)) })],
  ])();
}

function integerSchema(draw: Draw): Json {
  return {
    type: "integer",
    ...(draw.chance(0.3) && { format: draw.of(["int32", "int64"]) }),
    ...(draw.chance(0.4) && { minimum: draw.between(-2, 2) }),
    ...(draw.chance(0.3) && { maximum: draw.between(5, 9), ...(draw.chance(0.3) && { exclusiveMaximum: true }) }),
    ...(draw.chance(0.15) && { multipleOf: 2 }),
    ...(draw.chance(0.1) && { enum: [2, 4] }),
  };
}

function numberSchema(draw: Draw): Json {
  return {
    type: "number",
    ...(draw.chance(0.3) && { minimum: 0.5 }),
    ...(draw.chance(0.3) && { maximum: 7.25 }),
    ...(draw.chance(0.2) && { multipleOf: 0.25 }),
  };
}

function objectSchema(draw: Draw, depth: number): Json {
  const names = distinct(
    draw,
    ["a", "b", "c", "size", "dashed-name", "camelCase", "in"],
    draw.between(1, depth === 0 ? 6 : 3),
  );
  const properties = Object.fromEntries(names.map((name) => [name, anySchema(draw, depth + 1)]));
  const required = draw.some(names).slice(0, 2);
  return {
    type: "object",
    properties,
    ...(required.length > 0 && draw.chance(0.4) && { required }),
    ...(draw.chance(0.08) && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(draw.chance(0.1) && { maxProperties: 3 }),
    ...(draw.chance(0.08) && names.length > 1 && { oneOf: names.slice(0, 2).map((name) => ({ required: [name] })) }),
    ...(draw.chance(0.06) && { not: { required: [names[0]] } }),
    ...(draw.chance(0.1) && { "x-kubernetes-map-type": "atomic" }),
  };
}

function mapSchema(draw: Draw, depth: number): Json {
  return {
    type: "object",
    additionalProperties: anySchema(draw, depth + 1),
    ...(draw.chance(0.2) && { maxProperties: 2 }),
    ...(draw.chance(0.2) && { minProperties: 1 }),
  };
}

function listSchema(draw: Draw, depth: number): Json {
  const limits = {
    ...(draw.chance(0.3) && { minItems: 1 }),
    ...(draw.chance(0.4) && { maxItems: draw.between(2, 4) }),
  };
  if (draw.chance(0.3)) return { type: "array", ...limits, ...keyedItems(draw, depth) };
  if (draw.chance(0.3)) return { type: "array", ...limits, items: scalar(draw), "x-kubernetes-list-type": "set" };
  const isAtomic = draw.chance(0.3) && { "x-kubernetes-list-type": "atomic" };
  return { type: "array", ...limits, items: withoutTransitions(anySchema(draw, depth + 1)), ...isAtomic };
}

function keyedItems(draw: Draw, depth: number): Json {
  const key = draw.of<Json>([{ type: "string" }, { type: "integer" }, { type: "string", default: "k" }]);
  const more = { extra: anySchema(draw, depth + 2) };
  const isRequired = !("default" in key);
  return {
    items: { type: "object", properties: { name: key, ...more }, ...(isRequired && { required: ["name"] }) },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
}

function scalar(draw: Draw): Json {
  return draw.of<Json>([{ type: "string" }, { type: "integer" }, { type: "string", minLength: 1 }]);
}

function rulesFor(draw: Draw, schema: Json): Json {
  const rules = RULES[String(schema.type)];
  if (!rules || (schema.type === "array" && !isScalar(schema.items as Json))) return {};
  const rule = {
    rule: draw.of(rules),
    ...(draw.chance(0.4) && { message: "the rule says no" }),
    ...(draw.chance(0.15) && { reason: draw.of(["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate"]) }),
    ...(draw.chance(0.15) && { messageExpression: "'not ' + 'this'" }),
  };
  return { "x-kubernetes-validations": [rule], ...boundFor(schema) };
}

/** Without a bound a rule may count as too expensive, which has cases of its own. */
function boundFor(schema: Json): Json {
  if (schema.type === "string" && !("maxLength" in schema)) return { maxLength: 40 };
  if (schema.type === "array" && !("maxItems" in schema)) return { maxItems: 6 };
  return {};
}

function isScalar({ type }: Json): boolean {
  return type === "string" || type === "integer";
}

function distinct<T>(draw: Draw, from: readonly T[], count: number): T[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(draw.int(left.length), 1)[0] as T);
}

/** Nobody can tell which item of a list was which before. */
function withoutTransitions<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withoutTransitions) as T;
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== "x-kubernetes-validations" || !JSON.stringify(value).includes("oldSelf"),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutTransitions(value)])) as T;
}
