import fastJsonPatch, { type Operation } from "fast-json-patch";
import { ApiError, badRequest } from "../api-error.ts";
import { goKind } from "../kinds/go-types.ts";
import { isObject, type JsonObject } from "../kube-object.ts";

/** RFC 6902, all or nothing. */
export function jsonPatch(target: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    throw unreadable(operations, "[]handlers.jsonPatchOp");
  }
  const odd = operations.find((operation) => !isObject(operation));
  if (odd !== undefined) throw unreadable(odd, "handlers.jsonPatchOp");
  try {
    const copy = structuredClone(target);
    return fastJsonPatch.applyPatch(copy, operations as Operation[], true, true).newDocument;
  } catch {
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}

function unreadable(value: unknown, type: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go value of type ${type}`);
}
