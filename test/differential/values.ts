import type { Draw } from "./draw.ts";
import type { Json } from "./request.ts";
import { FORMATS, PATTERNS, WORDS } from "./schema-examples.ts";

/** A value that a schema takes, apart from its rules in CEL; `isWhole` leaves out nothing that is optional. */
export function goodValue(draw: Draw, schema: Json, isWhole = false): unknown {
  if (schema.nullable && !isWhole && draw.chance(0.15)) return null;
  if (schema["x-kubernetes-int-or-string"]) return draw.chance(0.5) ? draw.between(0, 99) : draw.of(["10%", "5", "x"]);
  switch (schema.type) {
    case "string":
      return goodText(draw, schema);
    case "integer":
      return goodInteger(draw, schema);
    case "number":
      return draw.of([0.5, 1, 2.75, 7.25]);
    case "boolean":
      return draw.chance(0.5);
    case "array":
      return goodList(draw, schema, isWhole);
    default:
      return goodObject(draw, schema, isWhole);
  }
}

function goodText(draw: Draw, schema: Json): string {
  if (Array.isArray(schema.enum)) return draw.of(schema.enum as string[]);
  if (schema.format) return draw.of(FORMATS[String(schema.format)]?.good ?? WORDS);
  if (schema.pattern) return draw.of(PATTERNS[String(schema.pattern)]?.good ?? WORDS);
  const { minLength = 0, maxLength = 99 } = schema as { minLength?: number; maxLength?: number };
  const fitting = WORDS.filter((word) => word.length >= minLength && Buffer.byteLength(word) <= maxLength);
  return draw.of(fitting);
}

function goodInteger(draw: Draw, schema: Json): number {
  const { minimum = -3, maximum = 9, multipleOf = 1 } = schema as Record<string, number>;
  const fits = (value: number) =>
    value >= minimum && value < maximum + (schema.exclusiveMaximum ? 0 : 1) && value % multipleOf === 0;
  const all = [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter(fits);
  return Array.isArray(schema.enum) ? draw.of(schema.enum as number[]) : draw.of(all);
}

function goodList(draw: Draw, schema: Json, isWhole: boolean): unknown[] {
  const { minItems = 0, maxItems = 3 } = schema as Record<string, number>;
  const count = draw.between(minItems, Math.min(maxItems, 3));
  const items = Array.from({ length: count }, () => goodValue(draw, schema.items as Json, isWhole));
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return items;
  const keyOf = (item: unknown) => JSON.stringify(type === "map" ? (item as Json).name : item);
  return items.filter((item, index) => items.findIndex((other) => keyOf(other) === keyOf(item)) === index);
}

function goodObject(draw: Draw, schema: Json, isWhole: boolean): Json {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as {
    properties?: Record<string, Json>;
    required?: string[];
    additionalProperties?: Json;
  };
  if (additionalProperties) {
    const keys = draw.some(["k1", "k2", "k-3"]).slice(0, Number(schema.maxProperties ?? 3));
    const chosen = keys.length === 0 && schema.minProperties ? ["k1"] : keys;
    return Object.fromEntries(chosen.map((key) => [key, goodValue(draw, additionalProperties, isWhole)]));
  }
  const wanted = Object.entries(properties).filter(([name]) => isWhole || required.includes(name) || draw.chance(0.6));
  const object = Object.fromEntries(wanted.map(([name, property]) => [name, goodValue(draw, property, isWhole)]));
  const isLoose = schema["x-kubernetes-preserve-unknown-fields"] === true && draw.chance(0.5);
  return { ...object, ...(isLoose && { unknown: draw.of<unknown>([1, "x", { y: [1, null] }, []]) }) };
}
