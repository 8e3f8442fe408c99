import { isObject, itemsOf, type JsonObject, propertyOf, type Schema, valuesOf } from "./schema.ts";

/** A copy of a resource with the defaults of its schema filled in. What is applied keeps its nulls, and is refused for them. */
export function applyDefaults(schema: Schema, object: JsonObject, keepsNulls = false): JsonObject {
  return withDefaults(schema, keepsNulls ? object : withoutStrayNulls(schema, object)) as JsonObject;
}

// A null where none may be counts as absent. Those with a default wait for it, so that they keep their place.
function withoutStrayNulls(schema: Schema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutStrayNulls(itemsOf(schema), item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, field]) => {
    const known = propertyOf(schema, name) ?? valuesOf(schema);
    return isStrayNull(known, field) && !hasDefault(known) ? [] : [[name, withoutStrayNulls(known, field)]];
  });
  return Object.fromEntries(kept);
}

function withDefaults(schema: Schema | undefined, value: unknown): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) return value.map((item) => filled(itemsOf(schema), item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    filled(propertyOf(schema, name) ?? valuesOf(schema), field),
  ]);
  const absent = Object.entries(schema.properties ?? {})
    .filter(([name, known]) => hasDefault(known) && !Object.hasOwn(value, name))
    .map(([name, known]) => [name, withDefaults(known, structuredClone(known.default))]);
  return Object.fromEntries([...fields, ...absent]);
}

function filled(schema: Schema | undefined, value: unknown): unknown {
  const isReplaced = isStrayNull(schema, value) && hasDefault(schema);
  return withDefaults(schema, isReplaced ? structuredClone(schema?.default) : value);
}

function isStrayNull(schema: Schema | undefined, value: unknown): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}

function hasDefault(schema: Schema | undefined): boolean {
  return schema?.default !== undefined && schema.default !== null;
}
