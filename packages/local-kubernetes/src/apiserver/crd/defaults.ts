import { cloneJson, setKey } from "../kube-object.ts";
import { isObject, itemsOf, type JsonObject, propertyOf, type Schema, valuesOf } from "./schema.ts";

/** A copy of a resource with the defaults of its schema filled in. */
export function applyDefaults(schema: Schema, object: JsonObject): JsonObject {
  return withDefaults(schema, withoutStrayNulls(schema, object)) as JsonObject;
}

// A null where none may be counts as absent. Those with a default wait for it, so that they keep their place.
function withoutStrayNulls(schema: Schema | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutStrayNulls(itemsOf(schema), item));
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const name in value) {
    const [known, field] = [propertyOf(schema, name) ?? valuesOf(schema), value[name]];
    if (!isStrayNull(known, field) || hasDefault(known)) setKey(kept, name, withoutStrayNulls(known, field));
  }
  return kept;
}

function withDefaults(schema: Schema | undefined, value: unknown): unknown {
  if (!schema) return value;
  if (Array.isArray(value)) return value.map((item) => filled(itemsOf(schema), item));
  if (!isObject(value)) return value;
  const made: JsonObject = {};
  for (const name in value) setKey(made, name, filled(propertyOf(schema, name) ?? valuesOf(schema), value[name]));
  for (const name in schema.properties) {
    const known = schema.properties[name];
    if (!hasDefault(known) || Object.hasOwn(value, name)) continue;
    setKey(made, name, withDefaults(known, cloneJson(known?.default)));
  }
  return made;
}

function filled(schema: Schema | undefined, value: unknown): unknown {
  const isReplaced = isStrayNull(schema, value) && hasDefault(schema);
  return withDefaults(schema, isReplaced ? cloneJson(schema?.default) : value);
}

function isStrayNull(schema: Schema | undefined, value: unknown): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}

function hasDefault(schema: Schema | undefined): boolean {
  return schema?.default !== undefined && schema.default !== null;
}
