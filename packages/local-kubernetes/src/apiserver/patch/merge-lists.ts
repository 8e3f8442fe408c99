import { badRequest, plainError } from "../api-error.ts";
import { goValue } from "../crd/go-text.ts";
import type { FieldType, ListType } from "../kinds/type-table.ts";
import { isObject, type JsonObject, ownValue } from "../kube-object.ts";

/** Merges one item into the one that has its key. */
export type MergeItem = (target: JsonObject, patch: JsonObject, type: FieldType) => JsonObject;

/**
 * A list as a strategic merge patch changes it. Items of the patch keep its order, others stay before those they stood
 * before.
 */
export function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  type: ListType,
  mergeItem: MergeItem,
): readonly unknown[] {
  if (type.merge === "replace") return patch;
  if (target.length === 0 && patch.length === 0) return target;
  checkItems(target, patch);
  if (type.merge === "union" || !isObject(target[0] ?? patch[0])) {
    const merged = [...target, ...patch.filter((value) => !target.includes(value))];
    return ordered([...new Set(merged)], patch, target, textOf);
  }
  const { by } = type.merge;
  const { left, changes } = withoutSpecialItems(target as JsonObject[], patch as JsonObject[], by);
  const merged = [...left];
  for (const change of changes) {
    const at = merged.findIndex((item) => keyIn(item, by) === keyIn(change, by));
    if (at < 0) merged.push(change);
    else merged[at] = mergeItem(merged[at] ?? {}, change, type.of);
  }
  return ordered(merged, changes, left, (item) => keyIn(item as JsonObject, by));
}

/** What `$deleteFromPrimitiveList` leaves of a list. */
export function withoutItems(target: readonly unknown[], removed: readonly unknown[]): readonly unknown[] {
  return target.filter((value) => !removed.includes(value));
}

/** Gives a merged list the order that `$setElementOrder` names. */
export function inWantedOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  { merge }: ListType,
): readonly unknown[] {
  if (typeof merge === "string") return ordered(merged, order, before, textOf);
  const wrong = order.findIndex((item) => !isObject(item));
  if (wrong >= 0) throw plainError(`value for key ${wrong} is not a map`);
  return ordered(merged, order, before, (item) => keyIn(item as JsonObject, merge.by));
}

/** A patch may not say two things about the order. */
export function checkOrder(patch: readonly unknown[], order: readonly unknown[], { merge }: ListType): void {
  if (patch.length === 0 || order.length === 0) return;
  const keyOf = (item: unknown) => (typeof merge === "string" ? textOf(item) : keyIn(item as JsonObject, merge.by));
  const items = patch.filter((item) => !isObject(item) || item.$patch === undefined);
  let at = 0;
  for (const wanted of order) if (at < items.length && keyOf(items[at]) === keyOf(wanted)) at++;
  if (at === items.length) return;
  throw plainError(
    `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
  );
}

/** Lists hold values of one type, and no lists. */
export function checkItems(target: readonly unknown[], patch: readonly unknown[]): void {
  const types = [...target, ...patch].map((item) => (Array.isArray(item) ? "list" : typeof item));
  if (types.length === 0) throw plainError("no elements in any of the given slices");
  if (types[0] === "list") throw badRequest("lists of lists are not supported");
  if (types.every((type) => type === types[0])) return;
  throw plainError(`list element types are not identical: ${goValue([target, patch])}`);
}

function withoutSpecialItems(target: readonly JsonObject[], patch: readonly JsonObject[], by: string) {
  let left = target;
  for (const item of patch) {
    if (item.$patch === undefined || item.$patch === "replace") continue;
    if (item.$patch === "merge") throw plainError("merging lists cannot yet be specified in the patch");
    if (item.$patch !== "delete") throw unknownDirective(item.$patch, item);
    const key = keyIn(item, by);
    left = left.filter((other) => JSON.stringify(ownValue(other, by)) !== key);
  }
  const changes = patch.filter((item) => item.$patch === undefined);
  const isReplaced = patch.some((item) => item.$patch === "replace");
  return isReplaced ? { left: changes, changes: [] } : { left, changes };
}

export function unknownDirective(directive: unknown, patch: JsonObject): Error {
  return plainError(`unknown patch type: ${String(directive)} in map: ${goValue(patch)}`);
}

/** What is named in the order comes in that order; what is not stands before the first that it stood before already. */
function ordered(
  items: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  keyOf: (item: unknown) => string,
): readonly unknown[] {
  const wanted = placesOf(order, keyOf);
  const known = placesOf(before, keyOf);
  const rank = (places: ReadonlyMap<string, number>, item: unknown) => places.get(keyOf(item)) ?? -1;
  const by = (places: ReadonlyMap<string, number>) => (one: unknown, other: unknown) =>
    rank(places, one) - rank(places, other);
  const named = items.filter((item) => wanted.has(keyOf(item))).sort(by(wanted));
  const others = items.filter((item) => !wanted.has(keyOf(item))).sort(by(known));
  const result: unknown[] = [];
  for (const item of named) {
    const place = rank(known, item);
    while (others.length > 0 && rank(known, others[0]) >= 0 && rank(known, others[0]) < place)
      result.push(others.shift());
    result.push(item);
  }
  return [...result, ...others];
}

function placesOf(items: readonly unknown[], keyOf: (item: unknown) => string): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) if (!places.has(keyOf(item))) places.set(keyOf(item), index);
  return places;
}

function textOf(item: unknown): string {
  return JSON.stringify(item);
}

function keyIn(item: JsonObject, by: string): string {
  const key = ownValue(item, by);
  if (key === undefined) throw plainError(`map: ${goValue(item)} does not contain declared merge key: ${by}`);
  return JSON.stringify(key);
}
