import { isObject, type JsonObject, ownValue, sameJson } from "../kube-object.ts";
import { asMember, type FieldSet, LEAF, unionOf } from "./field-set.ts";
import { fieldElement, itemElement } from "./path-element.ts";
import {
  DEDUCED,
  type ListShape,
  type MapShape,
  type ScalarShape,
  type Shape,
  shapeFor,
  shapeOfField,
} from "./shape.ts";

/** The fields by which two values differ; what is not there is empty. */
export interface Difference {
  readonly added?: FieldSet;
  readonly modified?: FieldSet;
  readonly removed?: FieldSet;
}

type Parts = { -readonly [part in keyof Difference]: Record<string, FieldSet> };

const ADDED: Difference = { added: LEAF };
const MODIFIED: Difference = { modified: LEAF };
const REMOVED: Difference = { removed: LEAF };

/** Undefined: they are the same. Absent values are undefined, and differ from null. */
export function compare(shape: Shape, before: unknown, after: unknown): Difference | undefined {
  if (before === after) return undefined;
  const known = shapeFor(shape, after ?? before);
  const other = shapeFor(shape, before ?? after);
  if (known.kind === other.kind) return compareAs(known, before, after);
  // A list became a map, or the like: it is both what went and what came.
  return both(compareAs(other, before, after), compareAs(known, before, after));
}

function compareAs(known: ScalarShape | MapShape | ListShape, before: unknown, after: unknown): Difference | undefined {
  switch (known.kind) {
    case "scalar":
      return known.isNobodys ? undefined : compareLeaf(before, after);
    case "map":
      if (known.isAtomic || (isEmptyMap(known, before) && isEmptyMap(known, after))) return compareLeaf(before, after);
      return withItself(compareMaps(known, asMap(before), asMap(after)), before, after);
    case "list":
      if (known.merge.kind === "atomic" || (isEmptyList(before) && isEmptyList(after))) {
        return compareLeaf(before, after);
      }
      return withItself(compareLists(known, asList(before), asList(after)), before, after);
  }
}

function both(one: Difference | undefined, other: Difference | undefined): Difference | undefined {
  if (!one || !other) return one ?? other;
  const part = (name: keyof Difference) => {
    const [first, second] = [one[name], other[name]];
    const fields = first && second ? unionOf(first, second) : (first ?? second);
    return fields ? { [name]: fields } : {};
  };
  return { ...part("added"), ...part("modified"), ...part("removed") };
}

function compareLeaf(before: unknown, after: unknown): Difference | undefined {
  if (before === undefined) return ADDED;
  if (after === undefined) return REMOVED;
  return sameJson(before, after) ? undefined : MODIFIED;
}

/** What begins or ceases to be there is a field itself, beside those below it. */
function withItself(parts: Parts | undefined, before: unknown, after: unknown): Difference | undefined {
  if (before === undefined) return { ...parts, added: asMember(parts?.added) };
  if (after === undefined) return { ...parts, removed: asMember(parts?.removed) };
  return parts;
}

function compareMaps(shape: MapShape, before: JsonObject | undefined, after: JsonObject | undefined) {
  let parts: Parts | undefined;
  const look = (name: string, one: unknown, other: unknown) => {
    const found = compare(shapeOfField(shape, name) ?? DEDUCED, one, other);
    if (found) parts = collect(parts, fieldElement(name), found);
  };
  for (const name in after) if (after[name] !== undefined) look(name, heldBy(shape, before, name), after[name]);
  for (const name in before) {
    if (before[name] !== undefined && (!after || ownValue(after, name) === undefined)) {
      look(name, before[name], heldBy(shape, after, name));
    }
  }
  // A zero value that neither has is the same in both, unless one of them is not there at all.
  if (!before || !after) {
    const there = before ?? after;
    for (const [name, zero] of shape.always) {
      if (there?.[name] === undefined) look(name, before && zero, after && zero);
    }
  }
  return parts;
}

function heldBy({ always }: MapShape, map: JsonObject | undefined, name: string): unknown {
  const found = map && ownValue(map, name);
  if (found !== undefined || !map) return found;
  for (const [field, zero] of always) if (field === name) return zero;
  return undefined;
}

function compareLists(shape: ListShape, before: readonly unknown[], after: readonly unknown[]): Parts | undefined {
  // Looking alone is cheaper than naming every item.
  if (sameJson(before, after)) return undefined;
  let parts: Parts | undefined;
  const [old, now] = [indexed(shape, before), indexed(shape, after)];
  for (const [element, items] of now) {
    const found = compareItems(shape, old.get(element), items);
    if (found) parts = collect(parts, element, found);
  }
  for (const [element, items] of old) {
    const found = now.has(element) ? undefined : compareItems(shape, items, undefined);
    if (found) parts = collect(parts, element, found);
  }
  return parts;
}

/** Items by what they are called; one that is there several times has no fields that could be told apart. */
function indexed(shape: ListShape, items: readonly unknown[]): Map<string, unknown[]> {
  const index = new Map<string, unknown[]>();
  for (const item of items) {
    const element = itemElement(shape, item);
    const twins = index.get(element);
    if (twins) twins.push(item);
    else index.set(element, [item]);
  }
  return index;
}

function compareItems(
  { of }: ListShape,
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): Difference | undefined {
  if ((before?.length ?? 0) < 2 && (after?.length ?? 0) < 2) return compare(of(), before?.[0], after?.[0]);
  return compareLeaf(before, after);
}

function collect(parts: Parts | undefined, element: string, { added, modified, removed }: Difference): Parts {
  const all = parts ?? {};
  if (added) {
    all.added ??= {};
    all.added[element] = added;
  }
  if (modified) {
    all.modified ??= {};
    all.modified[element] = modified;
  }
  if (removed) {
    all.removed ??= {};
    all.removed[element] = removed;
  }
  return all;
}

function asMap(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmptyMap({ always }: MapShape, value: unknown): boolean {
  if (!isObject(value)) return true;
  if (always.length > 0) return false;
  for (const name in value) if (value[name] !== undefined) return false;
  return true;
}

function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
