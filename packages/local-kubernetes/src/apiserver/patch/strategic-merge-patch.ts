import { badRequest, plainError } from "../api-error.ts";
import { type FieldType, type ListType, structOf } from "../kinds/type-table.ts";
import { isObject, type JsonObject, ownValue, setKey } from "../kube-object.ts";
import { checkItems, checkOrder, inWantedOrder, mergeList, unknownDirective, withoutItems } from "./merge-lists.ts";

const PATCH = "$patch";
const RETAIN = "$retainKeys";
const ORDER = "$setElementOrder";
const REMOVE = "$deleteFromPrimitiveList";

/** A merge patch that knows the types: lists of things with a name are merged thing by thing. */
export function strategicMergePatch(target: JsonObject, patch: JsonObject, typeName: string): JsonObject {
  return mergeStruct(target, patch, { kind: "struct", name: typeName });
}

function mergeStruct(target: JsonObject, patch: JsonObject, type: FieldType): JsonObject {
  if (Object.hasOwn(patch, PATCH)) return directed(patch);
  const changes = { ...patch };
  const result = retainedOnly(target, changes);
  for (const key of Object.keys(changes).filter((each) => each.startsWith(ORDER))) {
    const order = changes[key];
    delete changes[key];
    mergeInOrder(result, changes, key, order, type);
  }
  for (const [key, change] of Object.entries(changes)) {
    if (key.startsWith(REMOVE)) removeItems(result, key, change);
    else if (change === null) delete result[key];
    else merge(result, key, change, type);
  }
  return result;
}

function directed({ [PATCH]: directive, ...patch }: JsonObject): JsonObject {
  if (directive === "replace") return patch;
  if (directive === "delete") return {};
  throw unknownDirective(directive, { ...patch, [PATCH]: directive });
}

/** A copy of the target, of what is to be kept of it where the patch says so. */
function retainedOnly(target: JsonObject, changes: JsonObject): JsonObject {
  if (!Object.hasOwn(changes, RETAIN)) return { ...target };
  const retained = changes[RETAIN];
  delete changes[RETAIN];
  const isNamed = (key: string) => Array.isArray(retained) && retained.includes(key);
  const isFree = (key: string) => changes[key] === null || key.startsWith(REMOVE) || key.startsWith(ORDER);
  if (!Array.isArray(retained) || Object.keys(changes).some((key) => !isFree(key) && !isNamed(key))) {
    throw badRequest("invalid patch format of retainKeys");
  }
  return Object.fromEntries(Object.entries(target).filter(([key]) => isNamed(key)));
}

/** Merges the list that an order is for, and takes it out of the changes that are left. */
function mergeInOrder(
  result: JsonObject,
  changes: JsonObject,
  directive: string,
  order: unknown,
  type: FieldType,
): void {
  const wanted = listOr(order);
  const key = keyAfter(directive, ORDER, "invalid patch format of setElementOrder list");
  const [before, patch] = [ownValue(result, key), ownValue(changes, key)];
  const [target, added] = [before === undefined ? [] : listOr(before), patch === undefined ? [] : listOr(patch)];
  const list = listOf(type, key);
  checkOrder(added, wanted, list);
  if (before === undefined && patch === undefined) return;
  const merged =
    before === undefined
      ? (withoutDirectives(added) as unknown[])
      : patch === undefined
        ? target
        : mergeList(target, added, list, mergeStruct);
  checkItems(target, added);
  setKey<unknown>(result, key, inWantedOrder(merged, wanted, target, list));
  delete changes[key];
}

function removeItems(result: JsonObject, directive: string, removed: unknown): void {
  const key = keyAfter(directive, REMOVE, "invalid patch format of primitive list");
  const list = ownValue(result, key);
  if (removed === null) delete result[key];
  else if (Array.isArray(list) && Array.isArray(removed)) setKey<unknown>(result, key, withoutItems(list, removed));
}

function merge(result: JsonObject, key: string, change: unknown, type: FieldType): void {
  const before = ownValue(result, key);
  if (isObject(before) && isObject(change))
    setKey<unknown>(result, key, mergeStruct(before, change, fieldOf(type, key)));
  else if (Array.isArray(before) && Array.isArray(change)) {
    const field = fieldOf(type, key);
    setKey<unknown>(result, key, field.kind === "list" ? mergeList(before, change, field, mergeStruct) : change);
  } else {
    const value = withoutDirectives(withoutNulls(change));
    if (value === undefined) delete result[key];
    else setKey<unknown>(result, key, value);
  }
}

function keyAfter(directive: string, prefix: string, refusal: string): string {
  if (!directive.startsWith(`${prefix}/`)) throw badRequest(refusal);
  return directive.slice(prefix.length + 1);
}

function listOr(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const type = isObject(value) ? "map[string]interface {}" : typeof value === "boolean" ? "bool" : typeof value;
  throw plainError(`expected a []interface {}, but received a ${type === "number" ? "float64" : type}`);
}

function listOf(type: FieldType, key: string): ListType {
  const field = fieldOf(type, key);
  if (field.kind === "list") return field;
  if (type.kind === "struct" && !structOf(type.name).fields.has(key)) {
    throw plainError(`unable to find api field in struct ${type.name} for the json field ${JSON.stringify(key)}`);
  }
  return { kind: "list", of: { kind: "any" }, merge: "replace" };
}

function fieldOf(type: FieldType, key: string): FieldType {
  if (type.kind === "map") return type.of;
  if (type.kind !== "struct") return { kind: "any" };
  return structOf(type.name).fields.get(key)?.type ?? { kind: "any" };
}

/** Without the objects that are directives only; undefined: it is one itself. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, PATCH)) return undefined;
  const kept = Object.entries(value).map(([key, item]) => [key, withoutDirectives(item)] as const);
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined));
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutNulls(item)]));
}
