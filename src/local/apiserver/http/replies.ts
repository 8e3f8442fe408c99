import type { ApiContext } from "../api-context.ts";
import { ApiError, notFound } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import type { JsonObject } from "../kube-object.ts";
import type { IncludeObject } from "../table/table.ts";
import { keyOfTarget, type Target } from "../verbs/target.ts";
import { type OptionsKind, type WriteOptions, writeOptions } from "../verbs/write-options.ts";
import { bytesOf, objectOf, type Written } from "../verbs/written.ts";
import { representationOf } from "./accept.ts";
import { objectAnswer, shown, type View } from "./answers.ts";
import type { Exchange } from "./exchange.ts";

/** GET of one object. */
export async function readObject(api: ApiContext, exchange: Exchange, target: Target): Promise<void> {
  const view = viewOf(exchange, target.resource);
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  exchange.bytes(200, objectAnswer(view, entry));
}

/** How the client wants to see objects of the resource. */
export function viewOf(exchange: Exchange, resource: Resource): View {
  const representation = representationOf(exchange.request.headers.accept);
  if (!representation) {
    const message = "406: Not Acceptable\n\nAvailable representations: application/json";
    throw new ApiError(406, "NotAcceptable", message, {});
  }
  const include = (exchange.query.get("includeObject") || "Metadata") as IncludeObject;
  return { resource, representation, include, now: new Date() };
}

export function optionsOf(exchange: Exchange, kind: OptionsKind): WriteOptions {
  return { ...writeOptions(exchange.query, kind, exchange.warn), duplicateFields: () => exchange.duplicateFields() };
}

/** Answers with what a write led to. */
export function answer(exchange: Exchange, code: number, resource: Resource, written: Written): void {
  const view = viewOf(exchange, resource);
  if (view.representation === "object") exchange.bytes(code, bytesOf(resource, written));
  else exchange.json(code, shown(view, objectOf(resource, written), true));
}

/** Options that a DELETE may bring along. */
export async function deleteBody(exchange: Exchange): Promise<JsonObject> {
  const hasBody =
    exchange.request.headers["content-length"] !== undefined && exchange.request.headers["content-length"] !== "0";
  const isChunked = exchange.request.headers["transfer-encoding"] !== undefined;
  return hasBody || isChunked ? exchange.body("DeleteOptions") : {};
}
