import { badRequest } from "../api-error.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import { canonicalQuantity } from "./quantity.ts";
import { type Field, type FieldType, structOf } from "./type-table.ts";

export interface Decoded {
  readonly object: JsonObject;
  /** What was left out because the type does not have it: `unknown field "spec.foo"`. */
  readonly unknownFields: readonly string[];
}

/** Reads JSON as one of the table's types. What is null or an empty list or map counts as not there, as in Go. */
export function decodeAs(typeName: string, value: JsonObject, version: string): Decoded {
  const unknownFields: string[] = [];
  const reader = new Reader(typeName, version, unknownFields);
  return { object: reader.struct(typeName, value, ""), unknownFields };
}

class Reader {
  readonly #kind: string;
  readonly #version: string;
  readonly #unknownFields: string[];

  constructor(kind: string, version: string, unknownFields: string[]) {
    this.#kind = kind;
    this.#version = version;
    this.#unknownFields = unknownFields;
  }

  struct(name: string, value: unknown, path: string): JsonObject {
    if (!isObject(value)) throw this.#mismatch(value, path, name);
    const { fields } = structOf(name);
    const object: JsonObject = {};
    for (const [key, item] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      const field = fields.get(key);
      if (!field) this.#unknownFields.push(`unknown field "${at}"`);
      else if (item !== null && !isEmpty(field, item)) object[key] = this.#read(field.type, item, at);
    }
    return object;
  }

  #read(type: FieldType, value: unknown, path: string): unknown {
    switch (type.kind) {
      case "struct":
        return this.struct(type.name, value, path);
      case "list":
        if (!Array.isArray(value)) throw this.#mismatch(value, path, "[]");
        return value.map((item, index) => this.#read(type.of, item, `${path}[${index}]`));
      case "map":
        if (!isObject(value)) throw this.#mismatch(value, path, "map");
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [key, this.#read(type.of, item ?? "", path)]),
        );
      default:
        return this.#scalar(type.kind, value, path);
    }
  }

  #scalar(kind: Exclude<FieldType["kind"], "struct" | "list" | "map">, value: unknown, path: string): unknown {
    switch (kind) {
      case "string":
      case "time":
      case "microTime":
        if (typeof value !== "string") throw this.#mismatch(value, path, "string");
        return value;
      case "int":
      case "number":
        if (typeof value !== "number") throw this.#mismatch(value, path, "int64");
        if (kind === "int" && !Number.isInteger(value)) throw this.#mismatch(value, path, "int64");
        return value;
      case "bool":
        if (typeof value !== "boolean") throw this.#mismatch(value, path, "bool");
        return value;
      case "bytes":
        if (typeof value !== "string") throw this.#mismatch(value, path, "[]uint8");
        if (!BASE64.test(value)) throw this.#unreadable("illegal base64 data at input byte 0");
        return value;
      case "quantity":
        if (typeof value !== "string" && typeof value !== "number") throw this.#badQuantity();
        if (!QUANTITY.test(String(value))) throw this.#badQuantity();
        return canonicalQuantity(String(value));
      case "intOrString":
        if (typeof value !== "string" && typeof value !== "number") throw this.#mismatch(value, path, "int32");
        return value;
      case "any":
        return value;
    }
  }

  #mismatch(value: unknown, path: string, wanted: string): Error {
    const field = path.replaceAll(/\[\d+\]/g, "");
    return this.#unreadable(
      `json: cannot unmarshal ${goKind(value)} into Go struct field ${this.#kind}.${field} of type ${wanted}`,
    );
  }

  #badQuantity(): Error {
    return this.#unreadable(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }

  #unreadable(why: string): Error {
    return badRequest(`${this.#kind} in version "${this.#version}" cannot be handled as a ${this.#kind}: ${why}`);
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/\s]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\s*$/;

const QUANTITY = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$/;

function isEmpty({ type, keepsZero }: Field, value: unknown): boolean {
  if (type.kind === "list") return Array.isArray(value) && value.length === 0;
  if (type.kind === "map") return isObject(value) && Object.keys(value).length === 0;
  return !keepsZero && (value === "" || value === 0 || value === false) && type.kind !== "intOrString";
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return value === null ? "null" : typeof value;
}
