import { type Cause, duplicate, invalid } from "./cause.ts";
import { child, entry } from "./field-path.ts";
import { goJson } from "./go-text.ts";
import { isObject, itemsOf, propertyOf, type Schema, valuesOf } from "./schema.ts";

/** Items that are there twice in a list that is a set, or a map by its keys. */
export function duplicates(schema: Schema | undefined, value: unknown, path = ""): Cause[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    const inside = value.flatMap((item, i) => duplicates(itemsOf(schema), item, entry(path, i)));
    return [...inList(schema, value, path), ...inside];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = propertyOf(schema, name);
    return known ? duplicates(known, field, child(path, name)) : duplicates(valuesOf(schema), field, entry(path, name));
  });
}

function inList(schema: Schema, list: readonly unknown[], path: string): Cause[] {
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return repeated(list).map((i) => duplicate(entry(path, i), list[i]));
    case "map": {
      const stray = list.findIndex((item) => item !== null && !isObject(item));
      if (stray >= 0) {
        return [invalid(entry(path, stray), list[stray], "must be an object for an array of list-type map")];
      }
      const keys = list.map((item) => keysOf(schema, item));
      return repeated(keys).map((i) => duplicate(entry(path, i), keys[i]));
    }
    default:
      return [];
  }
}

/** Where a value appears for the second time; the third time is not told again. */
function repeated(values: readonly unknown[]): number[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, i) => {
    const text = goJson(value);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return times === 2 ? [i] : [];
  });
}

function keysOf(schema: Schema, item: unknown): unknown {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return Object.fromEntries(
    isObject(item) ? keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]) : [],
  );
}
