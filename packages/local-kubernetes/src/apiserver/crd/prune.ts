import { child, entry } from "./field-path.ts";
import { isObject, itemsOf, type JsonObject, META_FIELDS, propertyOf, type Schema, valuesOf } from "./schema.ts";

export interface Pruned {
  readonly object: JsonObject;
  /** What was dropped, as strict field validation names it: `unknown field "spec.foo"`. */
  readonly unknownFields: readonly string[];
}

/** A copy of a resource without the fields that its schema does not know. */
export function prune(schema: Schema, object: JsonObject): Pruned {
  const dropped: string[] = [];
  const root: Schema = { ...schema, "x-kubernetes-embedded-resource": true };
  const kept = pruneObject(root, object, "", dropped);
  return { object: kept, unknownFields: dropped.sort().map((path) => `unknown field "${path}"`) };
}

function pruneValue(schema: Schema | undefined, value: unknown, path: string, dropped: string[]): unknown {
  if (Array.isArray(value)) {
    return value.map((item, i) => pruneItem(schema, item, entry(path, i), dropped));
  }
  return isObject(value) ? pruneObject(schema, value, path, dropped) : value;
}

// What lies in a list that preserves unknown fields is preserved too, unless its items say what they are.
function pruneItem(schema: Schema | undefined, item: unknown, path: string, dropped: string[]): unknown {
  const items = itemsOf(schema);
  if (!schema?.["x-kubernetes-preserve-unknown-fields"]) return pruneValue(items, item, path, dropped);
  return items ? pruneValue({ ...items, "x-kubernetes-preserve-unknown-fields": true }, item, path, dropped) : item;
}

function pruneObject(schema: Schema | undefined, object: JsonObject, path: string, dropped: string[]): JsonObject {
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(object)) {
    if (schema?.["x-kubernetes-embedded-resource"] && META_FIELDS.has(name)) {
      kept.push([name, value]);
      continue;
    }
    const known = propertyOf(schema, name);
    if (known || schema?.additionalProperties !== undefined) {
      kept.push([name, pruneValue(known ?? valuesOf(schema), value, child(path, name), dropped)]);
    } else if (schema?.["x-kubernetes-preserve-unknown-fields"]) {
      kept.push([name, value]);
    } else {
      dropped.push(child(path, name));
    }
  }
  return Object.fromEntries(kept);
}
