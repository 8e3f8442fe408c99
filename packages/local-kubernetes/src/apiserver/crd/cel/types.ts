import { isDeepStrictEqual } from "node:util";
import type { Environment } from "@marcbachmann/cel-js";
import { isObject, itemsOf, type JsonObject, type Schema, valuesOf } from "../schema.ts";
import { bytesOf, durationOf } from "./string-values.ts";

/** How values of a schema appear in rules. */
export interface CelType {
  /** Its name in the environment. */
  readonly name: string;
  /** A JSON value as a CEL one. */
  readonly convert: (value: unknown) => unknown;
}

/** Declares the types of a schema's nodes, each once, in one environment. */
export class CelTypes {
  private readonly known = new Map<Schema, CelType | undefined>();

  private readonly env: Environment;

  constructor(env: Environment) {
    this.env = env;
  }

  /** The type of a node; undefined for what rules cannot see. */
  of(schema: Schema, isResource = schema["x-kubernetes-embedded-resource"] === true): CelType | undefined {
    if (!this.known.has(schema)) this.known.set(schema, this.newType(schema, isResource));
    return this.known.get(schema);
  }

  private newType(schema: Schema, isResource: boolean): CelType | undefined {
    if (schema["x-kubernetes-int-or-string"]) return INT_OR_STRING;
    switch (schema.type) {
      case "array":
        return this.list(schema);
      case "object":
        return valuesOf(schema) && !isResource ? this.map(schema) : this.object(schema, isResource);
      case "string":
        return STRINGS[schema.format ?? ""] ?? STRING;
      case "integer":
        return INT;
      case "number":
        return DOUBLE;
      case "boolean":
        return BOOL;
      default:
        return undefined;
    }
  }

  private list(schema: Schema): CelType | undefined {
    const items = itemsOf(schema);
    const type = items && this.nullable(items);
    if (!type) return undefined;
    return { name: `list<${type.name}>`, convert: (list) => (Array.isArray(list) ? list.map(type.convert) : null) };
  }

  private map(schema: Schema): CelType | undefined {
    const values = valuesOf(schema);
    const type = values && this.nullable(values);
    if (!type) return undefined;
    const convert = (map: unknown) =>
      isObject(map) ? new Map(Object.entries(map).map(([key, value]) => [key, type.convert(value)])) : null;
    return { name: `map<string, ${type.name}>`, convert };
  }

  private object(schema: Schema, isResource: boolean): CelType {
    const properties = isResource ? { ...schema.properties, ...META_PROPERTIES } : (schema.properties ?? {});
    const fields = Object.entries(properties).flatMap(([property, value]) => {
      const [name, type] = [celName(property), this.nullable(value)];
      return name && type ? [{ property, name, type }] : [];
    });
    const name = `Object${this.known.size}`;
    const Instance = class extends CelObject {};
    this.env.registerType(name, {
      ctor: Instance,
      fields: Object.fromEntries(fields.map((field) => [field.name, field.type.name])),
    });
    this.env.registerOperator(`${name} == ${name}`, (a: CelObject, b: CelObject) => isDeepStrictEqual(a.json, b.json));
    const convert = (object: unknown) => {
      if (!isObject(object)) return null;
      const present = fields.filter(({ property }) => Object.hasOwn(object, property));
      return new Instance(
        object,
        present.map((field) => [field.name, field.type.convert(object[field.property])]),
      );
    };
    return { name, convert };
  }

  // A value that may be null has no type that the CEL library knows, so it is judged when it is used.
  private nullable(schema: Schema): CelType | undefined {
    const type = this.of(schema);
    if (!type || !schema.nullable) return type;
    return { name: "dyn", convert: (value) => (value === null ? null : type.convert(value)) };
  }
}

/** An object of a schema: its fields by their CEL names. */
class CelObject extends Map<string, unknown> {
  readonly json: JsonObject;

  constructor(json: JsonObject, fields: readonly (readonly [string, unknown])[]) {
    super(fields);
    this.json = json;
  }
}

const META_PROPERTIES: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { type: "object", properties: { name: { type: "string" }, generateName: { type: "string" } } },
};

const toInt = (value: unknown) => (Number.isInteger(value) ? BigInt(value as number) : value);
const same = (value: unknown) => value;
const INT_OR_STRING: CelType = { name: "dyn", convert: toInt };
const INT: CelType = { name: "int", convert: toInt };
const DOUBLE: CelType = { name: "double", convert: same };
const BOOL: CelType = { name: "bool", convert: same };
const STRING: CelType = { name: "string", convert: same };
const TIMESTAMP: CelType = { name: "google.protobuf.Timestamp", convert: (text) => new Date(String(text)) };
const STRINGS: Readonly<Record<string, CelType>> = {
  byte: { name: "bytes", convert: (text) => bytesOf(String(text)) },
  date: TIMESTAMP,
  "date-time": TIMESTAMP,
  duration: { name: "google.protobuf.Duration", convert: (text) => durationOf(String(text)) },
};

/** How CEL names a property; undefined for names that no expression can reach. */
function celName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(" "),
);
