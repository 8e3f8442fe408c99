import { isObject, type JsonObject } from "../kube-object.ts";
import { asMember, type FieldSet, isEmpty, LEAF, NOTHING } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import { DEDUCED, type ListShape, type MapShape, type Shape, shapeFor, shapeOfField } from "./shape.ts";

/** The fields that whoever writes down this object speaks of. */
export function fieldsOf(shape: MapShape, object: JsonObject): FieldSet {
  return mapFields(shape, object) ?? NOTHING;
}

/** Undefined: none, which is something else than the value itself. */
function valueFields(shape: Shape, value: unknown): FieldSet | undefined {
  const known = shapeFor(shape, value);
  switch (known.kind) {
    case "scalar":
      return LEAF;
    case "map":
      if (known.isAtomic) return LEAF;
      return isObject(value) ? mapFields(known, value) : undefined;
    case "list":
      if (known.merge.kind === "atomic") return LEAF;
      return Array.isArray(value) ? listFields(known, value) : undefined;
  }
}

function mapFields(shape: MapShape, map: JsonObject): FieldSet | undefined {
  const made: Record<string, FieldSet> = {};
  for (const name in map) {
    const value = map[name];
    if (value === undefined) continue;
    const known = shapeOfField(shape, name) ?? DEDUCED;
    if (known.kind === "scalar" && known.isNobodys) continue;
    const found = valueFields(known, value);
    // A struct's field is no choice of the user's, an entry of a map is; and so is saying that there is nothing.
    const isChosen = isNothing(value) || !shape.fields.has(name);
    if (isChosen) made[fieldElement(name)] = asMember(found);
    else if (found) made[fieldElement(name)] = found;
  }
  return isEmpty(made) ? undefined : made;
}

function listFields(shape: ListShape, items: readonly unknown[]): FieldSet | undefined {
  const made: Record<string, FieldSet> = {};
  for (const item of items) {
    const element = itemElement(shape, item);
    // Of several with one name nobody can say whose fields are meant.
    made[element] = made[element] ? LEAF : asMember(valueFields(shape.of(), item));
  }
  return isEmpty(made) ? undefined : made;
}

function isNothing(value: unknown): boolean {
  return value === null || (isObject(value) && isEmpty(value as FieldSet));
}
