import { badRequest, invalid } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import { decodeAs } from "../kinds/decode.ts";
import type { Codec, Resource } from "../kinds/resource.ts";
import { hasType } from "../kinds/type-table.ts";
import { isObject, type JsonObject, type KubeObject, type ObjectMeta, textIn } from "../kube-object.ts";
import { apiVersionOf, type GroupVersionKind } from "../storage/stored-json.ts";
import type { WriteOptions } from "./write-options.ts";

/** What has to be known of a kind to read an object of it. */
export type Readable = Pick<Resource, "group" | "version" | "kind" | "plural" | "isCustom" | "needsVersion"> & {
  readonly codec: Pick<Codec, "decode">;
};

/** Reads what a client sent as an object of the resource: its kind, version and fields, not yet what they mean. */
export function readObject(resource: Readable, body: JsonObject, options: WriteOptions): KubeObject {
  const apiVersion = apiVersionOf(resource);
  if (resource.isCustom) checkCustomKind(resource, body, apiVersion, options);
  else checkBuiltinKind(resource, body, apiVersion);
  const { object, unknownFields } = resource.codec.decode(body);
  if (options.fieldValidation !== "Ignore") report(resource, unknownFields, options);
  // A copy: what a patch did not touch may still be that of the stored object, which others look at.
  const metadata: ObjectMeta = isObject(object.metadata) ? { ...object.metadata } : {};
  // Whose the fields are is not kept; what was written on another server may bring it along.
  delete metadata.managedFields;
  return { ...object, apiVersion, kind: resource.kind, metadata };
}

/** Reads what is only sent and never stored, such as a review, in the same way. */
export function readRequest(gvk: GroupVersionKind, body: JsonObject, options: WriteOptions): JsonObject {
  checkBuiltinKind(gvk, body, apiVersionOf(gvk));
  const { object, unknownFields } = decodeAs(gvk.kind, body, gvk.version);
  if (options.fieldValidation !== "Ignore") report(gvk, unknownFields, options);
  return object;
}

// Of built-in kinds the path is enough to know what is meant.
function checkBuiltinKind(resource: GroupVersionKind, body: JsonObject, apiVersion: string): void {
  const kind = String(body.kind || resource.kind);
  const version = String(body.apiVersion || apiVersion);
  if (kind === resource.kind && version === apiVersion) return;
  const isKnown = hasType(kind.replace(/List$/, "")) || META_KINDS.has(kind);
  const why =
    isKnown && (version === apiVersion || isBuiltinVersion(version))
      ? `converting (v1.${kind}) to (${packageOf(resource)}.${resource.kind}): unknown conversion`
      : `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:110"`;
  throw badRequest(`${kind} in version "${versionIn(version)}" cannot be handled as a ${resource.kind}: ${why}`);
}

/** An object without a kind says nothing about itself; with another kind it is an invalid one of this kind. */
function checkCustomKind(resource: Readable, body: JsonObject, apiVersion: string, options: WriteOptions): void {
  const { kind, group } = resource;
  if (!body.kind) {
    const what = `the object provided is unrecognized (must be of type ${kind})`;
    throw badRequest(`${what}: Object 'Kind' is missing in '${options.bodyText?.() ?? ""}'`);
  }
  const version = String(body.apiVersion || "");
  if (body.apiVersion === null) {
    const why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
    throw badRequest(`${body.kind} in version "" cannot be handled as a ${kind}: ${why}`);
  }
  if (version !== apiVersion) {
    const message = `the API version in the data (${version}) does not match the expected API version (${apiVersion})`;
    throw badRequest(message);
  }
  if (body.kind === kind) return;
  report(resource, [], options);
  const cause = invalidValue("kind", body.kind, `must be ${kind}`);
  throw invalid({ group, kind: String(body.kind) }, textIn(body, "metadata", "name"), [cause]);
}

const META_KINDS: ReadonlySet<string> = new Set([
  "Status",
  "List",
  "DeleteOptions",
  "ListOptions",
  "CreateOptions",
  "PatchOptions",
]);

/** Whether the version has no group, or one that only built-in kinds have. */
function isBuiltinVersion(apiVersion: string): boolean {
  return ["v1", "apps/v1", "batch/v1", "policy/v1"].includes(apiVersion);
}

/** What Go calls the package of a group's types. */
function packageOf({ group }: GroupVersionKind): string {
  return group === "" ? "core" : (group.split(".")[0] ?? group);
}

function versionIn(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

function report({ kind, version }: GroupVersionKind, unknownFields: readonly string[], options: WriteOptions): void {
  const { fieldValidation, warn, duplicateFields, patchText, patchComplaints } = options;
  const duplicates = (duplicateFields?.() ?? []).map((field) => `duplicate field "${field}"`);
  const complaints = [...(patchText === undefined ? duplicates : (patchComplaints?.() ?? [])), ...unknownFields];
  if (complaints.length === 0) return;
  if (fieldValidation === "Warn") {
    for (const complaint of complaints) warn(complaint);
    return;
  }
  const why = `strict decoding error: ${complaints.join(", ")}`;
  if (patchText !== undefined) throw invalid({ group: "", kind: "" }, "", [invalidValue("patch", patchText(), why)]);
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
