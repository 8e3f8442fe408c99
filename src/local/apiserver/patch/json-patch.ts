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
    const copy = structuredClone(target);
    return (operations as Operation[]).reduce<unknown>(
      (document, operation) =>
        fastJsonPatch.applyPatch(document, [lenient(document, operation)], true, true).newDocument,
      copy,
    );
  } catch {
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
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
