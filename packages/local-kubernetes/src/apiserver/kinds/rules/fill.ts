import { isObject, type JsonObject } from "../../kube-object.ts";

/** Sets the fields that an object does not have yet. */
export function fill(object: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) if (object[field] === undefined) object[field] = value;
}

/** The object in a field, which is made if there is none. */
export function inside(object: JsonObject, field: string): JsonObject {
  const found = object[field];
  if (isObject(found)) return found;
  const made: JsonObject = {};
  object[field] = made;
  return made;
}
