import { ApiError, badRequest } from "../api-error.ts";
import { goKind } from "../kinds/go-types.ts";
import { cloneJson, isObject, type JsonObject, ownValue, sameJson, setKey } from "../kube-object.ts";

/** RFC 6902, all or nothing; the target stays as it is. */
export function jsonPatch(target: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw unreadable(operations, "[]handlers.jsonPatchOp");
  const odd = operations.find((operation) => !isObject(operation));
  if (odd !== undefined) throw unreadable(odd, "handlers.jsonPatchOp");
  try {
    return (operations as JsonObject[]).reduce(applied, target);
  } catch (error) {
    if (!(error instanceof Inapplicable)) throw error;
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

function unreadable(value: unknown, type: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}

/** An operation that does not fit the document, or is none; clients are told no more than that, as in Kubernetes. */
class Inapplicable extends Error {}

function applied(document: unknown, operation: JsonObject): unknown {
  const path = keysOf(operation.path);
  switch (operation.op) {
    case "add":
      return added(document, path, givenValue(operation));
    case "remove":
      return removed(document, path);
    case "replace":
      return replaced(document, path, givenValue(operation));
    case "move": {
      const from = keysOf(operation.from);
      const isIntoItself = from.length < path.length && from.every((key, index) => key === path[index]);
      if (isIntoItself) throw new Inapplicable(`${operation.from} cannot be moved into itself`);
      return added(removed(document, from), path, valueAt(document, from));
    }
    case "copy":
      // A value of its own, for the result may be changed in place later.
      return added(document, path, cloneJson(valueAt(document, keysOf(operation.from))));
    case "test":
      if (sameJson(valueAt(document, path), givenValue(operation))) return document;
      throw new Inapplicable(`${operation.path} has another value`);
    default:
      throw new Inapplicable(`there is no operation ${operation.op}`);
  }
}

function givenValue(operation: JsonObject): unknown {
  if (operation.value === undefined) throw new Inapplicable(`${operation.op} needs a value`);
  return operation.value;
}

/** The keys of a JSON Pointer (RFC 6901). */
function keysOf(pointer: unknown): string[] {
  if (pointer === "") return [];
  if (typeof pointer !== "string" || !pointer.startsWith("/") || /~(?![01])/.test(pointer)) {
    throw new Inapplicable(`${pointer} is no JSON Pointer`);
  }
  const keys = pointer.slice(1).split("/");
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce((parent, key) => {
    const value = Array.isArray(parent) ? parent[indexOf(key, parent.length - 1)] : childOf(parent, key);
    if (value === undefined) throw new Inapplicable(`there is no ${key}`);
    return value;
  }, document);
}

function childOf(parent: unknown, key: string): unknown {
  return isObject(parent) ? ownValue(parent, key) : undefined;
}

function indexOf(key: string, last: number): number {
  if (/^(0|[1-9]\d*)$/.test(key) && Number(key) <= last) return Number(key);
  throw new Inapplicable(`the list has no place ${key}`);
}

function added(document: unknown, path: readonly string[], value: unknown): unknown {
  return edited(document, path, value, (list, key) =>
    list.splice(key === "-" ? list.length : indexOf(key, list.length), 0, value),
  );
}

/** As in Kubernetes, a key need not be there to be replaced; a place in a list does. */
function replaced(document: unknown, path: readonly string[], value: unknown): unknown {
  return edited(document, path, value, (list, key) => list.splice(indexOf(key, list.length - 1), 1, value));
}

function removed(document: unknown, path: readonly string[]): unknown {
  valueAt(document, path);
  return edited(document, path, undefined, (list, key) => list.splice(indexOf(key, list.length - 1), 1));
}

/**
 * The document with another value at the path, which goes when there is none; `inList` does the same for a place in a
 * list.
 */
function edited(
  document: unknown,
  [key, ...rest]: readonly string[],
  value: unknown,
  inList: (list: unknown[], key: string) => void,
): unknown {
  if (key === undefined) return value;
  if (!Array.isArray(document) && !isObject(document)) throw new Inapplicable(`nothing can have a ${key} here`);
  const child = rest.length > 0 ? edited(valueAt(document, [key]), rest, value, inList) : value;
  if (Array.isArray(document)) {
    const list = [...document];
    if (rest.length > 0) list[Number(key)] = child;
    else inList(list, key);
    return list;
  }
  const copy = { ...document };
  if (child === undefined) delete copy[key];
  else setKey(copy, key, child);
  return copy;
}
