import { Quantity } from "../../quantity.ts";
import { badRequest } from "../api-error.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import {
  badByteOf,
  fitsInteger,
  goKind,
  goName,
  goType,
  kindOfNumber,
  type Place,
  type ScalarType,
  zeroOf,
} from "./go-types.ts";
import { type Field, type FieldType, structOf } from "./type-table.ts";

export interface Decoded {
  readonly object: JsonObject;
  /** What was left out because the type does not have it: `unknown field "spec.foo"`. */
  readonly unknownFields: readonly string[];
}

/** Reads JSON as one of the table's types. What is null or an empty list or map counts as not there, as in Go. */
export function decodeAs(typeName: string, value: JsonObject, version: string): Decoded {
  const kind = goName(typeName);
  return decodeOr(typeName, value, (why) =>
    badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`),
  );
}

/** The same, with another refusal. */
export function decodeOr(typeName: string, value: JsonObject, refusal: (why: string) => Error): Decoded {
  const unknownFields: string[] = [];
  const reader = new Reader(refusal, unknownFields);
  return { object: reader.struct(typeName, value, ""), unknownFields };
}

/** What a struct has although it was not set; a removed status leaves this behind. */
export function emptyStruct(name: string): JsonObject {
  return { ...ALWAYS[name] };
}

const COUNTS = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
const TIMES = { lastProbeTime: null, lastTransitionTime: null };

// Fields that Go writes whether they are zero or not.
const ALWAYS: Readonly<Record<string, JsonObject>> = {
  ReplicaSetStatus: { replicas: 0 },
  PodDisruptionBudgetStatus: COUNTS,
  ServiceStatus: { loadBalancer: {} },
  JobCondition: TIMES,
  NodeCondition: { lastHeartbeatTime: null, lastTransitionTime: null },
  PodCondition: TIMES,
  PersistentVolumeClaimCondition: TIMES,
};

// A refusal shows whether nothing was sent, or a list of nothing.
const KEPT_EMPTY: ReadonlySet<string> = new Set(["CustomResourceDefinitionSpec.versions"]);

class Reader {
  readonly #unreadable: (why: string) => Error;
  readonly #unknownFields: string[];

  /** Where everything is said to be, if anywhere. */
  readonly #fixedPath: string | undefined;

  constructor(unreadable: (why: string) => Error, unknownFields: string[], fixedPath?: string) {
    this.#unreadable = unreadable;
    this.#unknownFields = unknownFields;
    this.#fixedPath = fixedPath;
  }

  struct(name: string, value: unknown, path: string, goPath = ""): JsonObject {
    const { fields } = structOf(name);
    const object: JsonObject = {};
    for (const key in value as JsonObject) {
      const item = (value as JsonObject)[key];
      const at = joined(path, key);
      const field = fields.get(key);
      if (!field) this.#unknownFields.push(`unknown field "${at}"`);
      else if (item !== null && (KEPT_EMPTY.has(`${name}.${key}`) || !isEmpty(field, item)))
        object[key] = this.#read(field.type, item, {
          owner: name,
          path: at,
          goPath: this.#fixedPath ?? joined(goPath, key),
        });
    }
    const always = ALWAYS[name];
    return always ? { ...always, ...object } : object;
  }

  #read(type: FieldType, value: unknown, at: Place): unknown {
    switch (type.kind) {
      case "struct":
        if (!isObject(value)) throw this.#mismatch(value, at, type);
        return this.struct(type.name, value, at.path, at.goPath);
      case "list":
        if (!Array.isArray(value)) throw this.#mismatch(value, at, type);
        return value.map((item, index) => this.#item(type.of, item, { ...at, path: `${at.path}[${index}]` }));
      case "map":
        if (!isObject(value)) throw this.#mismatch(value, at, type);
        return Object.fromEntries(
          Object.entries(value).map(([key, item]) => [
            key,
            this.#item(type.of, item, { ...at, path: `${at.path}.${key}` }),
          ]),
        );
      default:
        return this.#scalar(type, value, at);
    }
  }

  /** In a list or map null is not nothing but a zero. */
  #item(type: FieldType, value: unknown, at: Place): unknown {
    return value === null ? zeroOf(type) : this.#read(type, value, at);
  }

  #scalar(type: ScalarType, value: unknown, at: Place): unknown {
    switch (type.kind) {
      case "string":
        if (typeof value !== "string") throw this.#mismatch(value, at, type);
        return value;
      case "time":
      case "microTime":
        if (typeof value !== "string") throw this.#mismatch(value, at, { kind: "string" });
        checkTime(value, this.#unreadable);
        return value;
      case "int":
      case "number":
        if (typeof value !== "number") throw this.#mismatch(value, at, type);
        if (kindOfNumber(type, at) !== "float64" && !fitsInteger(value, kindOfNumber(type, at))) {
          throw this.#mismatch(value, at, type, ` ${value}`);
        }
        return value;
      case "bool":
        if (typeof value !== "boolean") throw this.#mismatch(value, at, type);
        return value;
      case "bytes":
        if (typeof value !== "string") throw this.#mismatch(value, at, type);
        if (!BASE64.test(value)) throw this.#unreadable(`illegal base64 data at input byte ${badByteOf(value)}`);
        return value;
      case "quantity": {
        if (typeof value !== "string" && typeof value !== "number") throw this.#badQuantity();
        const quantity = Quantity.parse(String(value));
        if (!quantity) throw this.#badQuantity();
        return String(quantity);
      }
      case "intOrString":
        if (typeof value === "string") return value;
        if (typeof value !== "number") throw this.#mismatch(value, at, { kind: "int" });
        if (!fitsInteger(value, "int32")) throw this.#mismatch(value, at, { kind: "int" }, ` ${value}`);
        return value;
      case "any":
        return isNestedSchema(at) && isObject(value) ? this.#nestedSchema(value, at) : value;
    }
  }

  /** A schema in a field that may hold something else is read apart: what is wrong in it is told of the field. */
  #nestedSchema(value: JsonObject, at: Place): unknown {
    const inner = new Reader(this.#unreadable, [], at.goPath);
    return inner.struct("JSONSchemaProps", value, at.path, at.goPath);
  }

  /**
   * In the words of Go's decoder, which names the innermost struct and the whole path, without places in lists and keys
   * of maps.
   */
  #mismatch(value: unknown, at: Place, type: FieldType, more = ""): Error {
    const shown = type.kind === "int" ? kindOfNumber(type, at) : goType(type);
    return this.#unreadable(
      `json: cannot unmarshal ${goKind(value)}${more} into Go struct field ${goName(at.owner)}.${at.goPath} of type ${shown}`,
    );
  }

  #badQuantity(): Error {
    return this.#unreadable(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
}

const BASE64 = /^(?:[A-Za-z0-9+/\s]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\s*$/;

// Of another type it is no zero but a mistake.
const ZEROES: Readonly<Record<string, unknown>> = { string: "", bytes: "", int: 0, number: 0, bool: false };

function isEmpty({ type, keepsZero }: Field, value: unknown): boolean {
  if (type.kind === "list") return Array.isArray(value) && value.length === 0;
  if (type.kind === "map") return isObject(value) && Object.keys(value).length === 0;
  return !keepsZero && value === ZEROES[type.kind];
}

function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function checkTime(text: string, refusal: (why: string) => Error): void {
  if (TIME.test(text)) return;
  const shown = JSON.stringify(text);
  throw refusal(`parsing time ${shown} as "2006-01-02T15:04:05Z07:00": cannot parse ${shown} as "2006"`);
}

function isNestedSchema({ owner, path }: Place): boolean {
  return owner === "JSONSchemaProps" && /\.(items|additionalProperties)$/.test(path);
}
