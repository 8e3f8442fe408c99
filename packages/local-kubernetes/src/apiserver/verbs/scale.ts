import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, invalid, notFound } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import { decodeAs } from "../kinds/decode.ts";
import type { Resource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject, numberIn, valueIn } from "../kube-object.ts";
import { selectorText } from "../table/workload-columns.ts";
import { type Patch, patcher, readPatched } from "./patch.ts";
import { checkIdentity } from "./prepare-update.ts";
import { type Readable, readObject } from "./read-body.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { type Change, otherObject, update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";
import { objectOf } from "./written.ts";

/** GET of /scale: the replicas of any kind that has some, in the same shape for all. */
export async function readScale(api: ApiContext, target: Target): Promise<JsonObject> {
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  return scaleOf(target.resource, target.resource.codec.read(entry));
}

/** PUT of /scale. */
export async function replaceScale(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
): Promise<JsonObject> {
  const scale = readScaleBody(target, body, options);
  const { uid } = scale.metadata;
  return writeScale(api, target, options, (_, old) => {
    if (uid && uid !== old.metadata.uid) throw otherObject(target, uid, old, options.isDryRun);
    return scale;
  });
}

/** PATCH of /scale. */
export async function patchScale(
  api: ApiContext,
  target: Target,
  patch: Patch,
  options: WriteOptions,
): Promise<JsonObject> {
  const apply = patcher(patch, SCALE.kind);
  return writeScale(api, target, options, (scale) => {
    const patched = readPatched(SCALE, target.name, apply(scale), patch, options);
    checkIdentity(target, patched);
    return patched;
  });
}

const SCALE: Readable = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  plural: "scales",
  isCustom: false,
  needsVersion: false,
  codec: { decode: (body) => decodeAs("Scale", body, "v1") },
};

/** A Scale of a custom resource that cannot be read has no version to be told of. */
function readScaleBody(target: Target, body: JsonObject, options: WriteOptions): KubeObject {
  const { resource, name } = target;
  const scale = readAs(resource, () => readObject(SCALE, body, options));
  if (!scale.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  checkIdentity(target, scale);
  return scale;
}

function readAs({ isCustom }: Resource, read: () => KubeObject): KubeObject {
  try {
    return read();
  } catch (error) {
    if (!isCustom || !(error instanceof ApiError) || error.code !== 400) throw error;
    throw badRequest('no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"');
  }
}

/** `change` makes the wanted Scale of the present one. */
async function writeScale(
  api: ApiContext,
  target: Target,
  options: WriteOptions,
  change: (scale: KubeObject, old: KubeObject) => KubeObject,
): Promise<JsonObject> {
  const { resource, name } = target;
  const { subresource: _, ...whole } = target;
  const rescale: Change = (old) => {
    const scale = change(scaleOf(resource, old, NEVER_SET), old);
    const replicas = numberIn(scale, "spec", "replicas");
    if (replicas === NEVER_SET) {
      throw badRequest(`the spec replicas field ".${resource.scale?.specReplicas}" cannot be empty`);
    }
    if (replicas < 0 && !resource.isCustom) throw negative(resource, name, replicas);
    const wanted = structuredClone(old);
    setAt(wanted, resource.scale?.specReplicas ?? "", replicas);
    const { resourceVersion } = scale.metadata;
    if (resourceVersion) wanted.metadata.resourceVersion = resourceVersion;
    return wanted;
  };
  const written = await update(api, whole, options, rescale);
  return scaleOf(resource, objectOf(resource, written), 0);
}

// What a patch sees where a custom resource has no replicas: its author did not name a number.
const NEVER_SET = -(2 ** 31);

function negative(resource: Resource, name: string, replicas: number): Error {
  const path = resource.isCustom ? `.${resource.scale?.specReplicas}` : "spec.replicas";
  const why = resource.isCustom ? "should be a non-negative integer" : "must be greater than or equal to 0";
  const kind = resource.isCustom ? resource : { group: "autoscaling", kind: "Scale" };
  return invalid(kind, name, [invalidValue(path, replicas, why)]);
}

/** `otherwise` are the replicas of a custom resource that has none; without it there is no Scale to show. */
function scaleOf({ scale, isCustom }: Resource, object: KubeObject, otherwise?: number): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const at = (path: string | undefined) => (path ? valueIn(object, ...path.split(".")) : undefined);
  const replicas = at(scale?.specReplicas) ?? (isCustom ? otherwise : 0);
  if (replicas === undefined) {
    const message = `Internal error occurred: the spec replicas field ".${scale?.specReplicas}" does not exist`;
    throw new ApiError(500, "InternalError", message, { causes: [{ message: message.slice(25) }] });
  }
  const selector = at(scale?.selector);
  const text = isObject(selector) ? selectorText(selector) : selector;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
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
