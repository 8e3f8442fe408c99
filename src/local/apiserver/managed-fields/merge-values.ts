import { isObject, type JsonObject, ownValue, setKey } from "../kube-object.ts";
import { itemElement } from "./path-element.ts";
import { DEDUCED, type ListShape, type MapShape, type Shape, shapeFor, shapeOfField } from "./shape.ts";

/** What is there, with what is applied laid over it. */
export function mergeValues(shape: Shape, live: unknown, applied: unknown): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  const known = shapeFor(shape, applied ?? live);
  if (known.kind === "map" && !known.isAtomic && isObject(live) && isObject(applied)) {
    return mergeMaps(known, live, applied);
  }
  if (known.kind === "list" && known.merge.kind !== "atomic" && Array.isArray(live) && Array.isArray(applied)) {
    return mergeLists(known, live, applied);
  }
  // Null over fields that are merged one by one takes none of them away.
  const isWhole = known.kind === "scalar" || (known.kind === "map" ? known.isAtomic : known.merge.kind === "atomic");
  return applied === null && !isWhole && hasItems(live) ? live : applied;
}

function mergeMaps(shape: MapShape, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = { ...live };
  for (const [name, value] of Object.entries(applied)) {
    setKey(merged, name, mergeValues(shapeOfField(shape, name) ?? DEDUCED, ownValue(live, name), value));
  }
  return merged;
}

/** Items in the order in which they are applied; those of others stay behind the one that they followed. */
function mergeLists(shape: ListShape, live: readonly unknown[], applied: readonly unknown[]): unknown[] {
  const [mine, theirs] = [named(shape, applied), named(shape, live)];
  const [wanted, known] = [new Map(mine), new Map(theirs)];
  const shared = mine.map(([element]) => element).filter((element) => known.has(element));
  const merged: unknown[] = [];
  const done = new Set<string>();
  let [left, right, next] = [0, 0, 0];
  const take = (element: string) => {
    merged.push(mergeValues(shape.of(), known.get(element), wanted.get(element)));
    done.add(element);
    if (shared[next] === element) next++;
  };
  while (left < theirs.length || right < mine.length) {
    const [old, item] = theirs[left] ?? [];
    const element = mine[right]?.[0];
    if (old !== undefined && old === element) {
      take(old);
      left++;
      right++;
      continue;
    }
    const isShared = old !== undefined && wanted.has(old);
    // Its turn comes later, in the applied order.
    const isEarly = isShared && element !== undefined && next < shared.length && shared[next] !== old;
    if (isEarly || (isShared && done.has(old))) left++;
    if (isEarly) continue;
    if (old !== undefined && !isShared) {
      merged.push(item);
      left++;
    } else if (element !== undefined) {
      take(element);
      right++;
    }
  }
  return merged;
}

function named(shape: ListShape, items: readonly unknown[]): [string, unknown][] {
  return items.map((item) => [itemElement(shape, item), item]);
}

function hasItems(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && Object.keys(value).length > 0;
}
