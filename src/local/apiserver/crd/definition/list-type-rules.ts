import { type Cause, forbidden, invalid, notSupported, required } from "../cause.ts";
import { child, entry } from "../field-path.ts";
import { itemsOf, propertyOf, type Schema } from "../schema.ts";

/** Whether `x-kubernetes-map-type` is used as it may be. */
export function mapTypeCauses(schema: Schema, path: string): Cause[] {
  const type = schema["x-kubernetes-map-type"];
  if (type === undefined) return [];
  return [
    ...typeCauses(schema, path, "object", "x-kubernetes-map-type"),
    ...(type !== "atomic" && type !== "granular"
      ? [notSupported(child(path, "x-kubernetes-map-type"), type, ["atomic", "granular"])]
      : []),
  ];
}

/** Whether `x-kubernetes-list-type` and its keys are used as they may be. */
export function listTypeCauses(schema: Schema, path: string): Cause[] {
  const type = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = child(path, "x-kubernetes-list-type");
  const causes: Cause[] = [];
  if (type !== undefined) {
    causes.push(...typeCauses(schema, path, "array", "x-kubernetes-list-type"));
    if (!["atomic", "set", "map"].includes(type)) causes.push(notSupported(at, type, ["atomic", "set", "map"]));
  }
  if (type === "set" && schema.type === "array") causes.push(...setItemCauses(schema, path));
  const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (keys.length > 0 && type === undefined) causes.push(required(at, detail));
  else if (keys.length > 0 && type !== "map") causes.push(invalid(at, type, detail));
  if (type === "map") causes.push(...mapItemCauses(schema, keys, path));
  if (type === "map" || type === "set") causes.push(...nullableCauses(schema, type, path));
  return causes;
}

function typeCauses(schema: Schema, path: string, wanted: string, extension: string): Cause[] {
  if (schema.type === wanted) return [];
  const detail = `must be ${wanted} if ${extension} is specified`;
  return [schema.type ? invalid(child(path, "type"), schema.type, detail) : required(child(path, "type"), detail)];
}

// Items of a set are compared as a whole, so they may not be merged in parts.
function setItemCauses(schema: Schema, path: string): Cause[] {
  const items = itemsOf(schema);
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const at = (name: string) => child(child(path, "items"), name);
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    return [invalid(at("x-kubernetes-list-type"), listType, detail)];
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(at("x-kubernetes-map-type"), listType ?? null, detail)];
  }
  return [];
}

function mapItemCauses(schema: Schema, keys: readonly string[], path: string): Cause[] {
  const items = itemsOf(schema);
  const at = child(path, "x-kubernetes-list-map-keys");
  const itemsAt = child(path, "items");
  const none = keys.length === 0 ? [required(at, "must not be empty if x-kubernetes-list-type is map")] : [];
  if (!items) return [...none, required(itemsAt, "must have a schema if x-kubernetes-list-type is map")];
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    return [...none, invalid(child(itemsAt, "type"), items.type ?? "", detail)];
  }
  return [...none, ...keys.flatMap((key, i) => keyCauses(items, key, keys.indexOf(key) < i, keys, path))];
}

function keyCauses(items: Schema, key: string, isRepeated: boolean, keys: readonly string[], path: string): Cause[] {
  const at = child(path, "x-kubernetes-list-map-keys");
  const property = propertyOf(items, key);
  const typeAt = child(entry(child(child(path, "items"), "properties"), key), "type");
  return [
    ...(property ? [] : [invalid(at, keys, "entries must all be names of item properties")]),
    ...(property?.type === "array" || property?.type === "object"
      ? [invalid(typeAt, items.type, "must be a scalar type if parent array's x-kubernetes-list-type is map")]
      : []),
    ...(isRepeated ? [invalid(at, keys, "must not contain duplicate entries")] : []),
  ];
}

function nullableCauses(schema: Schema, type: string, path: string): Cause[] {
  const items = itemsOf(schema);
  if (!items) return [];
  const itemsAt = child(path, "items");
  const keys = type === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : [];
  return [
    ...(items.nullable
      ? [forbidden(child(itemsAt, "nullable"), `cannot be nullable when x-kubernetes-list-type is ${type}`)]
      : []),
    ...keys.flatMap((key) => {
      const property = propertyOf(items, key);
      if (!property) return [];
      const at = entry(child(itemsAt, "properties"), key);
      const why = "this property is in x-kubernetes-list-map-keys, so it";
      return [
        ...(items.required?.includes(key) || property.default !== undefined
          ? []
          : [required(child(at, "default"), `${why} must have a default or be a required property`)]),
        ...(property.nullable ? [forbidden(child(at, "nullable"), `${why} cannot be nullable`)] : []),
      ];
    }),
  ];
}
