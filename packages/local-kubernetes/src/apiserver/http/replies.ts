import type { ApiContext } from "../api-context.ts";
import { ApiError, notFound, plainError, tooLargeResourceVersion } from "../api-error.ts";
import { decodeOr } from "../kinds/decode.ts";
import type { Resource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import type { IncludeObject } from "../table/table.ts";
import { revisionOf } from "../verbs/list.ts";
import { keyOfTarget, type Target } from "../verbs/target.ts";
import { type OptionsKind, type WriteOptions, writeOptions } from "../verbs/write-options.ts";
import { bytesOf, objectOf, type Written } from "../verbs/written.ts";
import { knowsType, representationOf } from "./accept.ts";
import { objectAnswer, shown, type View } from "./answers.ts";
import type { Exchange } from "./exchange.ts";

/** GET of one object. */
export async function readObject(api: ApiContext, exchange: Exchange, target: Target): Promise<void> {
  const view = viewOf(exchange, target.resource);
  await checkReached(api, target.resource, exchange.query);
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  exchange.bytes(200, objectAnswer(view, entry));
}

/** A version that is not there yet cannot be shown. */
async function checkReached(api: ApiContext, resource: Resource, query: URLSearchParams): Promise<void> {
  const version = query.get("resourceVersion") ?? "";
  if (version === "" || version === "0") return;
  // Events are not cached there, and their versions are read by another function.
  const isCached = resource.kind !== "Event";
  if (isCached) checkVersion(query);
  const [asked, current] = [revisionOf(version), await api.store.revision()];
  if (asked > current) throw tooLargeResourceVersion(asked, current, isCached);
}

/** Of one object, or where a watch begins; what is no number has no reason to be told of. */
export function checkVersion(query: URLSearchParams): void {
  const version = query.get("resourceVersion") ?? "";
  if (/^\d*$/.test(version)) return;
  const shown = JSON.stringify(version);
  throw plainError(`resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`);
}

/** How the client wants to see objects of the resource. */
export function viewOf(exchange: Exchange, resource: Resource, what: "object" | "list" = "object"): View {
  const { accept } = exchange.request.headers;
  const representation = representationOf(accept);
  if (!representation) throw notAcceptable(resource, what, accept);
  const include = (exchange.query.get("includeObject") || "Metadata") as IncludeObject;
  return { resource, representation, include, now: new Date() };
}

/** Refuses a client that takes nothing of what there is, before its request is looked at. */
export function checkAccepted(exchange: Exchange, resource: Resource, what: "object" | "list"): void {
  const { accept } = exchange.request.headers;
  if (!knowsType(accept)) throw notAcceptable(resource, what, accept);
}

const TYPES = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const WATCH_TYPES = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";

function notAcceptable({ isCustom }: Resource, what: "object" | "list", accept: string | undefined): ApiError {
  if (isCustom || knowsType(accept)) {
    return new ApiError(406, "NotAcceptable", `only the following media types are accepted: ${TYPES}`);
  }
  const types = what === "list" ? `${TYPES}, ${WATCH_TYPES}` : TYPES;
  return new ApiError(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${types}`, {});
}

export function optionsOf(exchange: Exchange, kind: OptionsKind): WriteOptions {
  return {
    ...writeOptions(exchange.query, kind, exchange.warn),
    user: exchange.user,
    duplicateFields: () => exchange.duplicateFields(),
    bodyText: () => exchange.sent,
  };
}

/** Answers with what a write led to. */
export function answer(exchange: Exchange, code: number, resource: Resource, written: Written): void {
  const view = viewOf(exchange, resource);
  if (view.representation === "object") exchange.bytes(code, bytesOf(resource, written));
  else exchange.json(code, shown(view, objectOf(resource, written), true));
}

/** Options that a DELETE may bring along. Errors in them are reported in the words of Go's decoder. */
export async function deleteBody(exchange: Exchange): Promise<JsonObject | undefined> {
  const hasBody =
    exchange.request.headers["content-length"] !== undefined && exchange.request.headers["content-length"] !== "0";
  const isChunked = exchange.request.headers["transfer-encoding"] !== undefined;
  if (!hasBody && !isChunked) return undefined;
  const body = await exchange.body("DeleteOptions", plainError);
  const { kind = "DeleteOptions", apiVersion = "v1" } = body;
  if (kind !== "DeleteOptions") {
    const where = `version "${apiVersion}" in scheme "pkg/runtime/scheme.go:110"`;
    throw plainError(`no kind "${kind}" is registered for ${where}`);
  }
  return decodeOr("DeleteOptions", body, plainError).object;
}
