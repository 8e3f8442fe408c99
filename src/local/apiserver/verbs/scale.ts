import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, invalid, notFound } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import type { Resource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject, numberIn, valueIn } from "../kube-object.ts";
import { readApplied } from "../patch/apply-patch.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import { selectorText } from "../table/workload-columns.ts";
import { applyBody } from "./apply.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { type Change, update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";
import { objectOf } from "./written.ts";

/** GET of /scale: the replicas of any kind that has some, in the same shape for all. */
export async function readScale(api: ApiContext, target: Target): Promise<JsonObject> {
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  return scaleOf(target.resource, target.resource.codec.read(entry));
}

/** PUT and PATCH of /scale; `change` makes the wanted Scale of the present one. */
export async function writeScale(
  api: ApiContext,
  target: Target,
  options: WriteOptions,
  change: (scale: JsonObject) => unknown,
): Promise<JsonObject> {
  const { resource } = target;
  const { subresource: _, ...whole } = target;
  const scaling = { ...options, scalesOnly: true };
  const rescale: Change = (old) => {
    const scale = change(scaleOf(resource, old));
    const replicas = numberIn(scale, "spec", "replicas");
    if (!isObject(scale)) throw badRequest("the patch leaves no Scale");
    if (replicas < 0) throw negative(resource, target.name, replicas);
    const wanted = structuredClone(old);
    setAt(wanted, resource.scale?.specReplicas ?? "", replicas);
    const version = valueIn(scale, "metadata", "resourceVersion");
    if (typeof version === "string") wanted.metadata.resourceVersion = version;
    return wanted;
  };
  return scaleOf(resource, objectOf(resource, await update(api, whole, scaling, rescale)));
}

/** PATCH of /scale with a Scale to be applied: its replicas are a field of the object. */
export async function applyScale(
  api: ApiContext,
  target: Target,
  text: string,
  options: WriteOptions,
): Promise<JsonObject> {
  const { resource, name } = target;
  const { subresource: _, ...whole } = target;
  const { object: scale, report } = readApplied(text, options);
  if (scale.apiVersion !== "autoscaling/v1" || scale.kind !== "Scale") {
    throw badRequest(`invalid object type: ${scale.apiVersion ?? "/"}, Kind=${scale.kind ?? ""}`);
  }
  const replicas = valueIn(scale, "spec", "replicas");
  if (typeof replicas === "number" && replicas < 0) throw negative(resource, name, replicas);
  const object: JsonObject = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: scale.metadata };
  if (replicas !== undefined) setAt(object, resource.scale?.specReplicas ?? "", replicas);
  const written = await applyBody(api, whole, { object, report }, { ...options, scalesOnly: true });
  return scaleOf(resource, objectOf(resource, written));
}

function negative(resource: Resource, name: string, replicas: number): Error {
  const path = resource.isCustom ? `.${resource.scale?.specReplicas}` : "spec.replicas";
  const why = resource.isCustom ? "should be a non-negative integer" : "must be greater than or equal to 0";
  const kind = resource.isCustom ? resource : { group: "autoscaling", kind: "Scale" };
  return invalid(kind, name, [invalidValue(path, replicas, why)]);
}

function scaleOf({ scale, isCustom }: Resource, object: KubeObject): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const at = (path: string | undefined) => (path ? valueIn(object, ...path.split(".")) : undefined);
  const replicas = at(scale?.specReplicas);
  if (isCustom && replicas === undefined) {
    const message = `Internal error occurred: the spec replicas field ".${scale?.specReplicas}" does not exist`;
    throw new ApiError(500, "InternalError", message, { causes: [{ message: message.slice(25) }] });
  }
  const selector = at(scale?.selector);
  const text = isObject(selector) ? selectorText(selector) : selector;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { ...(replicas ? { replicas } : {}) },
    status: { replicas: at(scale?.statusReplicas) ?? 0, ...(text ? { selector: text } : {}) },
  };
}

function setAt(object: JsonObject, path: string, value: unknown): void {
  const fields = path.split(".");
  const last = fields.pop() ?? "";
  let parent = object;
  for (const field of fields) {
    if (!isObject(parent[field])) parent[field] = {};
    parent = parent[field] as JsonObject;
  }
  parent[last] = value;
}
