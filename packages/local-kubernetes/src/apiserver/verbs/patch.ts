import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, invalid } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import { goValue } from "../crd/go-text.ts";
import { duplicateFields } from "../http/duplicate-fields.ts";
import { parseJson } from "../http/parse-json.ts";
import { goKind } from "../kinds/go-types.ts";
import type { Resource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject } from "../kube-object.ts";
import { jsonPatch } from "../patch/json-patch.ts";
import { mergePatch } from "../patch/merge-patch.ts";
import { strategicMergePatch } from "../patch/strategic-merge-patch.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import { type Readable, readObject } from "./read-body.ts";
import type { Target } from "./target.ts";
import { update, versionMissing } from "./update.ts";
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
  const { resource, name } = target;
  return update(api, target, options, (old) => readPatched(resource, name, apply(old), patch, options));
}

/** Who sends a patch of another type is told so before anything else is looked at. */
export function checkPatchType(resource: Resource, contentType: string): void {
  if (isPatchType(resource, contentType)) return;
  // A client that would apply has other ways to write, so it is told them for any kind.
  throw resource.isCustom || contentType === APPLY
    ? new ApiError(415, "UnsupportedMediaType", `${UNKNOWN_FORMAT}${patchTypes(resource).join(", ")}`)
    : new ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
}

export function isPatchType(resource: Resource, contentType: string): boolean {
  return patchTypes(resource).includes(contentType);
}

function patchTypes({ isCustom }: Resource): string[] {
  return isCustom ? [JSON_PATCH, MERGE] : [JSON_PATCH, MERGE, STRATEGIC];
}

/** What a patch has made of an object is read like any body; what cannot be read is the fault of the patch. */
export function readPatched(
  resource: Readable,
  name: string,
  patched: unknown,
  patch: Patch,
  options: WriteOptions,
): KubeObject {
  if (!isObject(patched)) throw badRequest("the patch leaves no object");
  const { kind, isCustom } = resource;
  const apiVersion = apiVersionOf(resource);
  if (isCustom && patched.kind && patched.apiVersion !== apiVersion) throw otherVersion(name, patched, apiVersion);
  // A strategic merge knows the type from elsewhere.
  const body = patch.contentType === STRATEGIC ? { ...patched, kind, apiVersion } : patched;
  // Only for messages, so that it is made when there is one.
  const text = () => (patch.contentType === STRATEGIC ? goValue(JSON.parse(patch.text)) : JSON.stringify(body));
  const object = unlessUnreadable(text, () =>
    readObject(resource, body, {
      ...options,
      patchText: text,
      patchComplaints: () => complaintsAbout(patch),
      bodyText: text,
    }),
  );
  if (!object.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (resource.needsVersion && !object.metadata.resourceVersion) throw versionMissing(resource, name);
  return object;
}

const OPERATION_FIELDS = ["op", "from", "path", "value"];

function complaintsAbout({ contentType, text }: Patch): string[] {
  const repeated = duplicateFields(text).map((field) => `duplicate field "${field}"`);
  if (contentType !== JSON_PATCH) return repeated;
  const unknown = (JSON.parse(text) as JsonObject[]).flatMap((operation, index) =>
    Object.keys(operation)
      .filter((key) => !OPERATION_FIELDS.includes(key))
      .map((key) => `unknown field "[${index}].${key}"`),
  );
  return [...repeated, ...unknown].map((complaint) => `json patch ${complaint}`);
}

function unlessUnreadable(text: () => string, read: () => KubeObject): KubeObject {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    const why = error.message
      .replace(/^\S+ in version "[^"]*" cannot be handled as a \w+: /, "")
      .replace(/^the object provided is unrecognized \(must be of type \w+\): (.*) \(.*\)$/s, "$1");
    throw invalid({ group: "", kind: "" }, "", [invalidValue("patch", text(), why)]);
  }
}

function otherVersion(name: string, body: JsonObject, apiVersion: string): ApiError {
  const [version = "", group] = String(body.apiVersion ?? "")
    .split("/")
    .reverse();
  const sent = group === undefined ? version : `${group}/${version}`;
  const cause = invalidValue("apiVersion", sent, `must be ${apiVersion}`);
  return invalid({ group: group ?? "", kind: String(body.kind) }, name, [cause]);
}

/** A function that applies the patch, which is read when there is something to apply it to. */
export function patcher(
  { contentType, text }: Patch,
  typeName: string | undefined,
): (old: KubeObject | JsonObject) => unknown {
  switch (contentType) {
    case JSON_PATCH:
      return (old) => jsonPatch(old, parsed(text, "error decoding patch: "));
    case MERGE:
      return (old) => {
        const changes = parsed(text, "error decoding patch: ");
        if (changes === null) throw badRequest("Invalid JSON Patch");
        return mergePatch(old, objectOr(changes, "error decoding patch: "));
      };
    default:
      return (old) => {
        const changes = parsed(text, "");
        return changes === null ? old : strategicMergePatch(old, objectOr(changes, ""), typeName ?? "");
      };
  }
}

function objectOr(value: unknown, prefix: string): JsonObject {
  if (isObject(value)) return value;
  throw badRequest(`${prefix}json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`);
}

function parsed(text: string, prefix: string): unknown {
  return parseJson(text, (why) => badRequest(`${prefix}${why}`));
}

const JSON_PATCH = "application/json-patch+json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
// Server-side apply, which needs the owner of every field to be kept.
const APPLY = "application/apply-patch+yaml";

const UNKNOWN_FORMAT = "the body of the request was in an unknown format - accepted media types include: ";
