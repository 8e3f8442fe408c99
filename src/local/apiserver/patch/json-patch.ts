import fastJsonPatch, { type Operation } from "fast-json-patch";
import { ApiError, badRequest } from "../api-error.ts";
import { goKind } from "../kinds/go-types.ts";
import { isObject, type JsonObject, ownValue } from "../kube-object.ts";

/** RFC 6902, all or nothing. */
export function jsonPatch(target: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    throw unreadable(operations, "[]handlers.jsonPatchOp");
  }
  const odd = operations.find((operation) => !isObject(operation));
  if (odd !== undefined) throw unreadable(odd, "handlers.jsonPatchOp");
  try {
    const { text, original } = disguised(JSON.stringify([target, operations]));
    const [copy, steps] = JSON.parse(text) as [unknown, Operation[]];
    const patched = steps.reduce<unknown>(
      (document, step) => fastJsonPatch.applyPatch(document, [lenient(document, step)], true, true).newDocument,
      copy,
    );
    return original(patched);
  } catch {
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

// The library refuses to go by these names, which are keys as any other here.
const REFUSED = ["__proto__", "prototype"];

/** The same text with names that the library lets pass, and the way back. */
function disguised(text: string): { readonly text: string; original(value: unknown): unknown } {
  const names = REFUSED.filter((name) => text.includes(name)).map((name) => [name, aliasOf(name, text)] as const);
  if (names.length === 0) return { text, original: (value) => value };
  const renamed = (from: 0 | 1, to: 0 | 1, whole: string) =>
    names.reduce((shown, name) => shown.replaceAll(name[from], name[to]), whole);
  return { text: renamed(0, 1, text), original: (value) => JSON.parse(renamed(1, 0, JSON.stringify(value))) };
}

function aliasOf(name: string, text: string): string {
  let alias = `${name.replaceAll("proto", "PROTO")}0`;
  while (text.includes(alias)) alias += "0";
  return alias;
}

function unreadable(value: unknown, type: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}

/** A key that is not there may be replaced all the same, as long as there is an object for it, and not removed. */
function lenient(document: unknown, operation: Operation): Operation {
  const { op } = operation;
  if ((op !== "replace" && op !== "remove") || typeof operation.path !== "string") return operation;
  const parts = operation.path.split("/").slice(1);
  const last = unescaped(parts.pop() ?? "");
  let parent: unknown = document;
  for (const part of parts) {
    const key = unescaped(part);
    parent = Array.isArray(parent) ? parent[Number(key)] : isObject(parent) ? ownValue(parent, key) : undefined;
  }
  if (!isObject(parent) || Object.hasOwn(parent, last)) return operation;
  if (op === "remove") throw new TypeError(`there is no ${last}`);
  return { ...operation, op: "add" };
}

function unescaped(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
