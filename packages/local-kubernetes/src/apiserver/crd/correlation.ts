import { isDeepStrictEqual } from "node:util";
import { isObject, itemsOf, propertyOf, type Schema, valuesOf } from "./schema.ts";

/**
 * A value beside the one that stood in its place before an update. What was invalid and has not changed may stay
 * (validation ratcheting).
 */
export class Correlation {
  private equal: boolean | undefined;

  readonly schema: Schema;
  readonly value: unknown;
  readonly old: unknown;

  constructor(schema: Schema, value: unknown, old: unknown) {
    this.schema = schema;
    this.value = value;
    this.old = old;
  }

  /** The same for a field; undefined where it is new or has no schema. */
  field(name: string): Correlation | undefined {
    const schema = propertyOf(this.schema, name) ?? valuesOf(this.schema);
    if (!schema || !isObject(this.value) || !isObject(this.old)) return undefined;
    if (!Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    return new Correlation(schema, this.value[name], this.old[name]);
  }

  /** The same for an item; only the items of a list with keys can be told to be the same as before. */
  item(index: number): Correlation | undefined {
    const schema = itemsOf(this.schema);
    if (!schema || !Array.isArray(this.value)) return undefined;
    const value: unknown = this.value[index];
    const old = sameItem(this.schema, this.old, value);
    return old === undefined ? undefined : new Correlation(schema, value, old);
  }

  get isUnchanged(): boolean {
    this.equal ??= this.compare();
    return this.equal;
  }

  private compare(): boolean {
    const { value, old } = this;
    if (Array.isArray(value) && Array.isArray(old)) return this.compareLists(value, old);
    if (!isObject(value) || !isObject(old)) return isDeepStrictEqual(value, old);
    const names = Object.keys(value);
    return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isUnchanged ?? false);
  }

  private compareLists(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (value.length !== old.length) return false;
    if (this.schema["x-kubernetes-list-type"] !== "map") return isDeepStrictEqual(value, old);
    return value.every((_, i) => this.item(i)?.isUnchanged ?? false);
  }
}

/** The item of an old list that has the same keys; undefined for lists without keys. */
export function sameItem(schema: Schema, list: unknown, item: unknown): unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(list) || !isObject(item)) return undefined;
  const wanted = keyOf(schema, item);
  return list.find((other) => isObject(other) && isDeepStrictEqual(keyOf(schema, other), wanted));
}

/** The values of an item's keys; a key that is absent counts as its default. */
function keyOf(schema: Schema, item: Record<string, unknown>): unknown[] {
  const items = itemsOf(schema);
  return (schema["x-kubernetes-list-map-keys"] ?? []).map((key) => item[key] ?? propertyOf(items, key)?.default);
}
