import fastJsonPatch, { type Operation } from "fast-json-patch";
import { ApiError, badRequest } from "../api-error.ts";
import type { JsonObject } from "../kube-object.ts";

/** RFC 6902, all or nothing. */
export function jsonPatch(target: JsonObject, operations: unknown): unknown {
  if (!Array.isArray(operations)) {
    throw badRequest(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
  }
  try {
    const copy = structuredClone(target);
    return fastJsonPatch.applyPatch(copy, operations as Operation[], true, true).newDocument;
  } catch {
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}
