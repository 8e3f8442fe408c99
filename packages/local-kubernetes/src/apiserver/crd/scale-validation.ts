import { type Cause, invalid } from "./cause.ts";
import type { ScaleSubresource } from "./custom-resource-definition.ts";
import { goValue } from "./go-text.ts";
import { isObject, type JsonObject } from "./schema.ts";

const MAX_REPLICAS = 2 ** 31 - 1;

/** What is wrong with the fields that the scale subresource reads. */
export function scaleCauses(scale: ScaleSubresource | undefined, object: JsonObject, subresource?: "status"): Cause[] {
  if (!scale) return [];
  return [
    ...(subresource === "status" ? [] : replicaCauses(scale.specReplicasPath, object)),
    ...replicaCauses(scale.statusReplicasPath, object),
    ...(scale.labelSelectorPath ? selectorCauses(scale.labelSelectorPath, object) : []),
  ];
}

function replicaCauses(path: string, object: JsonObject): Cause[] {
  const replicas = valueAt(object, path);
  if (replicas instanceof Mismatch) return [invalid(path, 0, replicas.toString())];
  if (replicas === undefined) return [];
  if (!Number.isInteger(replicas)) return [invalid(path, 0, new Mismatch(path, replicas, "int64").toString())];
  if (Number(replicas) < 0) return [invalid(path, replicas, "should be a non-negative integer")];
  if (Number(replicas) <= MAX_REPLICAS) return [];
  return [invalid(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)];
}

function selectorCauses(path: string, object: JsonObject): Cause[] {
  const selector = valueAt(object, path);
  if (selector instanceof Mismatch) return [invalid(path, "", selector.toString())];
  if (selector === undefined || typeof selector === "string") return [];
  return [invalid(path, "", new Mismatch(path, selector, "string").toString())];
}

/** A value on the way that is not what the path wants. */
class Mismatch {
  private readonly path: string;
  private readonly value: unknown;
  private readonly wanted: string;

  constructor(path: string, value: unknown, wanted: string) {
    this.path = path;
    this.value = value;
    this.wanted = wanted;
  }

  toString(): string {
    const value = goValue(this.value);
    return `${this.path} accessor error: ${value} is of the type ${goType(this.value)}, expected ${this.wanted}`;
  }
}

function valueAt(object: JsonObject, path: string): unknown {
  let value: unknown = object;
  for (const name of path.replace(/^\./, "").split(".")) {
    if (!isObject(value)) return new Mismatch(path, value, "map[string]interface{}");
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  if (Array.isArray(value)) return "[]interface {}";
  return isObject(value) ? "map[string]interface {}" : "string";
}
