import { badRequest, invalid } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import type { Resource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject } from "../kube-object.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import type { WriteOptions } from "./write-options.ts";

/** Reads what a client sent as an object of the resource: its kind, version and fields, not yet what they mean. */
export function readObject(resource: Resource, body: JsonObject, options: WriteOptions): KubeObject {
  const apiVersion = apiVersionOf(resource);
  checkKind(resource, body, apiVersion);
  const { object, unknownFields } = resource.codec.decode(body);
  if (options.fieldValidation !== "Ignore") report(resource, unknownFields, options);
  // A copy: what a patch did not touch may still be that of the stored object, which others look at.
  const metadata = isObject(object.metadata) ? { ...object.metadata } : {};
  return { ...object, apiVersion, kind: resource.kind, metadata };
}

function checkKind({ kind, isCustom }: Resource, body: JsonObject, apiVersion: string): void {
  // Of built-in kinds the path is enough to know what is meant.
  if (isCustom && (!body.kind || !body.apiVersion)) {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): Object 'Kind' is missing in the body`,
    );
  }
  const sent = { kind: String(body.kind ?? kind), apiVersion: String(body.apiVersion ?? apiVersion) };
  if (sent.kind === kind && sent.apiVersion === apiVersion) return;
  const why = isCustom
    ? `no kind "${sent.kind}" is registered for version "${sent.apiVersion}"`
    : sent.apiVersion === apiVersion
      ? `converting (${sent.kind}) to (${kind}): unknown conversion`
      : `no kind "${sent.kind}" is registered for version "${sent.apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;
  throw badRequest(`${sent.kind} in version "${versionIn(sent.apiVersion)}" cannot be handled as a ${kind}: ${why}`);
}

function versionIn(apiVersion: string): string {
  return apiVersion.split("/").at(-1) ?? "";
}

function report({ kind, version }: Resource, unknownFields: readonly string[], options: WriteOptions): void {
  const { fieldValidation, warn, duplicateFields, patchText } = options;
  const duplicates = patchText === undefined ? (duplicateFields?.() ?? []) : [];
  const complaints = [...duplicates.map((field) => `duplicate field "${field}"`), ...unknownFields];
  if (complaints.length === 0) return;
  if (fieldValidation === "Warn") {
    for (const complaint of complaints) warn(complaint);
    return;
  }
  const why = `strict decoding error: ${complaints.join(", ")}`;
  if (patchText !== undefined) throw invalid({ group: "", kind: "" }, "", [invalidValue("patch", patchText, why)]);
  throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}
