export type JsonObject = Record<string, unknown>;

/** A Kubernetes object as the API server handles it: metadata it knows, everything else by the table of kinds. */
export interface KubeObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface ObjectMeta extends JsonObject {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object in a field, or an empty one: for reading along a path. */
export function objectIn(parent: unknown, ...path: readonly string[]): JsonObject {
  const found = valueIn(parent, ...path);
  return isObject(found) ? found : {};
}

export function listIn(parent: unknown, ...path: readonly string[]): JsonObject[] {
  const found = valueIn(parent, ...path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

export function textIn(parent: unknown, ...path: readonly string[]): string {
  const found = valueIn(parent, ...path);
  return typeof found === "string" ? found : "";
}

export function numberIn(parent: unknown, ...path: readonly string[]): number {
  const found = valueIn(parent, ...path);
  return typeof found === "number" ? found : 0;
}

export function valueIn(parent: unknown, ...path: readonly string[]): unknown {
  let value: unknown = parent;
  for (const field of path) value = isObject(value) ? value[field] : undefined;
  return value;
}

/** Faster than structuredClone, which has to think of more than JSON. */
export function cloneJson<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(cloneJson) as Value;
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key in value) setKey(copy, key, cloneJson(value[key]));
  return copy as Value;
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => sameJson(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one).filter((key) => one[key] !== undefined);
  const count = Object.keys(other).filter((key) => other[key] !== undefined).length;
  return keys.length === count && keys.every((key) => sameJson(one[key], ownValue(other, key)));
}

/**
 * What an object has under a key; `constructor` and the like are keys as any other, and absent unless a client set
 * them.
 */
export function ownValue<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a key, also one that an assignment would take for the prototype. */
export function setKey<Value>(object: Record<string, Value>, key: string, value: Value): void {
  if (key !== "__proto__") object[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}
