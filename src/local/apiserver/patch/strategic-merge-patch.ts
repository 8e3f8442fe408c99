import { badRequest } from "../api-error.ts";
import { type FieldType, type ListType, structOf } from "../kinds/type-table.ts";
import { isObject, type JsonObject, ownValue, sameJson, setKey } from "../kube-object.ts";

const PATCH = "$patch";
const RETAIN = "$retainKeys";
const ORDER = "$setElementOrder/";
const REMOVE = "$deleteFromPrimitiveList/";

/** A merge patch that knows the types: lists of things with a name are merged thing by thing. */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, typeName: string): JsonObject {
  return mergeStruct(target, patch, { kind: "struct", name: typeName });
}

function mergeStruct(target: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  const { [PATCH]: directive, [RETAIN]: retained, ...changes } = patch;
  if (directive === "replace") return withoutDirectives(changes) as JsonObject;
  if (directive === "delete") return {};
  const result = retainedOnly(target, retained);
  for (const [key, value] of Object.entries(changes)) {
    if (key.startsWith("$")) continue;
    if (value === null) delete result[key];
    else {
      const merged = mergeValue(ownValue(result, key), value, fieldOf(type, key), listDirectives(changes, key));
      setKey(result, key, merged);
    }
  }
  // Directives may come for a list that the patch does not mention otherwise.
  for (const key of Object.keys(changes).filter((key) => key.startsWith("$")))
    applyLoneDirective(result, changes, key, type);
  return result;
}

function retainedOnly(target: JsonObject, retained: unknown): JsonObject {
  if (!Array.isArray(retained)) return { ...target };
  return Object.fromEntries(Object.entries(target).filter(([key]) => retained.includes(key)));
}

interface ListDirectives {
  readonly order?: readonly unknown[];
  readonly remove?: readonly unknown[];
}

function listDirectives(changes: JsonObject, key: string): ListDirectives {
  const [order, remove] = [changes[`${ORDER}${key}`], changes[`${REMOVE}${key}`]];
  return { ...(Array.isArray(order) && { order }), ...(Array.isArray(remove) && { remove }) };
}

function applyLoneDirective(result: JsonObject, changes: JsonObject, directive: string, type: FieldType): void {
  const key = directive.slice(directive.indexOf("/") + 1);
  const list = ownValue(result, key);
  if (!directive.includes("/") || Object.hasOwn(changes, key) || !Array.isArray(list)) return;
  setKey(result, key, mergeValue(list, [], fieldOf(type, key), listDirectives(changes, key)));
}

function mergeValue(target: unknown, patch: unknown, type: FieldType, directives: ListDirectives): unknown {
  if (Array.isArray(patch)) {
    const before = Array.isArray(target) ? target : [];
    return type.kind === "list" ? mergeList(before, patch, type, directives) : patch;
  }
  if (isObject(patch)) return mergeStruct(isObject(target) ? target : {}, patch, type);
  return patch;
}

function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  type: ListType,
  directives: ListDirectives,
): unknown[] {
  if (type.merge === "replace") return patch.map(withoutDirectives);
  if (type.merge === "union") return mergePrimitives(target, patch, directives);
  return mergeByKey(target.filter(isObject), patch, type.merge.by, type.of, directives);
}

function mergePrimitives(
  target: readonly unknown[],
  patch: readonly unknown[],
  { order, remove = [] }: ListDirectives,
): unknown[] {
  const kept = target.filter((value) => !remove.includes(value));
  const merged = [...kept, ...patch.filter((value) => !kept.includes(value))];
  return ordered(merged, order, sameJson);
}

function mergeByKey(
  target: readonly JsonObject[],
  patch: readonly unknown[],
  key: string,
  of: FieldType,
  { order }: ListDirectives,
): JsonObject[] {
  const items = patch.filter(isObject);
  if (items.some((item) => item[PATCH] === "replace")) {
    return items.filter((item) => item[PATCH] !== "replace").map((item) => withoutDirectives(item) as JsonObject);
  }
  let merged = [...target];
  const added: JsonObject[] = [];
  for (const item of items) {
    if (!(key in item)) throw badRequest(`map: ${JSON.stringify(item)} does not contain declared merge key: ${key}`);
    const at = merged.findIndex((other) => sameJson(other[key], item[key]));
    if (item[PATCH] === "delete") merged = merged.filter((other) => !sameJson(other[key], item[key]));
    else if (at >= 0) merged[at] = mergeStruct(merged[at] ?? {}, item, of);
    else added.push(withoutDirectives(item) as JsonObject);
  }
  // Without an order, what is new comes first, as in kube-apiserver.
  const all = [...added, ...merged];
  return ordered(
    all,
    order,
    (item, wanted) => isObject(item) && isObject(wanted) && sameJson(item[key], wanted[key]),
  ) as JsonObject[];
}

/** Items that the order names, in that order; the others follow the one that they followed before. */
function ordered(
  items: readonly unknown[],
  order: readonly unknown[] | undefined,
  isSame: (item: unknown, wanted: unknown) => boolean,
): unknown[] {
  if (!order) return [...items];
  const rank = (item: unknown) => order.findIndex((wanted) => isSame(item, wanted));
  const result = items.filter((item) => rank(item) >= 0).sort((one, other) => rank(one) - rank(other));
  for (const [index, item] of items.entries()) {
    if (rank(item) < 0) result.splice(index === 0 ? 0 : result.indexOf(items[index - 1]) + 1, 0, item);
  }
  return result;
}

function fieldOf(type: FieldType, key: string): FieldType {
  if (type.kind === "map") return type.of;
  if (type.kind !== "struct") return { kind: "any" };
  return structOf(type.name).fields.get(key)?.type ?? { kind: "any" };
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, item]) => !key.startsWith("$") && item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutDirectives(item)]));
}
