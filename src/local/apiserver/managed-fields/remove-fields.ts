import { isObject, type JsonObject, setKey } from "../kube-object.ts";
import { below, type FieldSet, isMember } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import { DEDUCED, type ListShape, type MapShape, type Shape, shapeFor, shapeOfField } from "./shape.ts";

/** A copy without the fields of the set; what has nothing left is null. */
export function removeFields(shape: Shape, value: unknown, fields: FieldSet): unknown {
  const known = shapeFor(shape, value);
  if (known.kind === "map" && isObject(value)) return nullIfEmpty(remainingFields(known, value, fields));
  if (known.kind === "list" && known.merge.kind !== "atomic" && Array.isArray(value)) {
    return nullIfEmpty(remainingItems(known, value, fields));
  }
  return value;
}

function remainingFields(shape: MapShape, map: JsonObject, fields: FieldSet): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(map)) {
    const removed = fields[fieldElement(name)];
    if (!removed) setKey(kept, name, value);
    else if (!isMember(removed)) {
      setKey(kept, name, removeFields(shapeOfField(shape, name) ?? DEDUCED, value, below(removed)));
    }
  }
  return kept;
}

function remainingItems(shape: ListShape, items: readonly unknown[], fields: FieldSet): unknown[] {
  return items.flatMap((item) => {
    const removed = fields[itemElement(shape, item)];
    if (!removed) return [item];
    return isMember(removed) ? [] : [removeFields(shape.of(), item, below(removed))];
  });
}

function nullIfEmpty<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length > 0 ? value : null;
}

/** The set with the structs around its fields, which go when all of theirs do. */
export function withStructs(set: FieldSet, shape: Shape): FieldSet {
  const made: Record<string, FieldSet> = {};
  for (const [element, field] of Object.entries(set)) {
    const [inner, isStruct] = stepInto(shape, element);
    const deep = element === "." ? field : withStructs(field, inner);
    made[element] = isStruct && !isMember(deep) ? { ".": {}, ...deep } : deep;
  }
  return made;
}

function stepInto(shape: Shape, element: string): [Shape, boolean] {
  if (shape.kind === "map" && element.startsWith("f:")) {
    const name = element.slice(2);
    return [shapeOfField(shape, name) ?? DEDUCED, shape.fields.has(name)];
  }
  return shape.kind === "list" && element.startsWith("k:") ? [shape.of(), false] : [DEDUCED, false];
}
