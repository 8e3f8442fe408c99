import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest } from "../api-error.ts";
import { isObject, type JsonObject, type KubeObject } from "../kube-object.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import { strategicMergePatch } from "../patch/strategic-merge-patch.ts";
import { readObject } from "./read-body.ts";
import type { Target } from "./target.ts";
import { update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";
import type { Written } from "./written.ts";

export interface Patch {
  readonly contentType: string;
  readonly text: string;
}

/** PATCH: the object as it is, changed by what the client sent. */
export async function patchObject(
  api: ApiContext,
  target: Target,
  patch: Patch,
  options: WriteOptions,
): Promise<Written> {
  const apply = patcher(patch, target.resource.codec.typeName);
  return update(api, target, options, (old) => {
    const patched = apply(old);
    if (!isObject(patched)) throw badRequest("the patch leaves no object");
    return readObject(target.resource, patched, { ...options, patchText: patch.text });
  });
}

/** A function that applies the patch; the patch itself is read once. */
export function patcher(
  { contentType, text }: Patch,
  typeName: string | undefined,
): (old: KubeObject | JsonObject) => unknown {
  switch (contentType) {
    case "application/json-patch+json": {
      const operations = parsed(text);
      return (old) => jsonPatch(old, operations);
    }
    case "application/merge-patch+json": {
      const changes = parsed(text);
      return (old) => mergePatch(old, changes);
    }
    case "application/strategic-merge-patch+json": {
      if (!typeName) throw unsupported(CUSTOM_PATCHES);
      const changes = parsed(text);
      if (!isObject(changes)) {
        throw badRequest("json: cannot unmarshal array into Go value of type map[string]interface {}");
      }
      return (old) => strategicMergePatch(old, changes, typeName);
    }
    case "application/apply-patch+yaml":
      throw unsupported("server-side apply is not part of local mode: leave out --server-side");
    default:
      throw unsupported("415: Unsupported Media Type");
  }
}

const CUSTOM_PATCHES =
  "the body of the request was in an unknown format - accepted media types include: " +
  "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";

function unsupported(message: string): ApiError {
  return new ApiError(415, "UnsupportedMediaType", message, {});
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding patch: ${error instanceof Error ? error.message : error}`);
  }
}
