import type { ApiContext } from "../api-context.ts";
import { badRequest, invalid } from "../api-error.ts";
import { emptyStruct } from "../kinds/decode.ts";
import type { Resource } from "../kinds/resource.ts";
import { cloneJson, type KubeObject, sameJson } from "../kube-object.ts";
import { finalizerCauses, metadataUpdateCauses } from "../meta/metadata-validation.ts";
import type { Target } from "./target.ts";
import type { WriteOptions } from "./write-options.ts";

/** The object as it is to be stored, or the refusal of it: what the path may change, defaults, validation. */
export async function preparedUpdate(
  api: ApiContext,
  target: Target,
  wanted: KubeObject,
  old: KubeObject,
  options: WriteOptions,
): Promise<KubeObject> {
  const { resource, subresource } = target;
  checkIdentity(target, wanted);
  const object = ofSubresource(resource, subresource, wanted, old);
  resource.rules.applyDefaults?.(object);
  keepServerFields(object, old);
  if (subresource !== "finalize") resource.rules.prepareUpdate?.(object, old);
  await resource.rules.admit?.(object, api.admission, old);
  resource.rules.allocate?.(object, api.admission, old);
  // A scheduler's choice is no new wish of the user's.
  if (resource.tracksGeneration && subresource !== "binding")
    object.metadata.generation = generationOf(target, object, old);
  const causes = causesOf(resource, object, old, subresource);
  if (causes.length > 0) throw invalid(resource, target.name, causes);
  if (!subresource) for (const warning of resource.rules.warnings?.(object, old) ?? []) options.warn(warning);
  if (!subresource) await resource.rules.permitUpdate?.(object, old, api.admission);
  return object;
}

export function checkIdentity({ resource, name, namespace }: Target, { metadata }: KubeObject): void {
  if (!resource.namespaced) delete metadata.namespace;
  if (metadata.name !== name) {
    throw badRequest(`the name of the object (${metadata.name ?? ""}) does not match the name on the URL (${name})`);
  }
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** What a request to this path may change; the rest stays as it was. */
function ofSubresource(
  resource: Resource,
  subresource: string | undefined,
  wanted: KubeObject,
  old: KubeObject,
): KubeObject {
  switch (subresource) {
    case "status":
      return withStatus(
        resource.isCustom ? cloneJson(old) : { ...cloneJson(old), metadata: ofStatus(resource, wanted, old) },
        resource.isCustom || wanted.status !== undefined ? wanted : withEmptyStatus(resource, wanted),
      );
    case "binding":
      return wanted;
    case "finalize":
      return { ...cloneJson(old), spec: wanted.spec };
    default:
      return resource.hasStatus ? withStatus(wanted, old) : wanted;
  }
}

function withEmptyStatus({ kind }: Resource, object: KubeObject): KubeObject {
  return { ...object, status: emptyStruct(`${kind}Status`) };
}

function withStatus({ status: _, ...object }: KubeObject, { status }: KubeObject): KubeObject {
  return { ...(object as KubeObject), ...(status !== undefined && { status: cloneJson(status) }) };
}

// Labels of a Deployment are its spec's concern: its ReplicaSets are found by them.
function ofStatus({ kind }: Resource, { metadata }: KubeObject, old: KubeObject): KubeObject["metadata"] {
  if (kind !== "Deployment") return metadata;
  const { labels: _, ...rest } = metadata;
  return { ...rest, ...(old.metadata.labels && { labels: { ...old.metadata.labels } }) };
}

const SERVER_FIELDS = ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

// Clients often leave these out, and mean no harm by it.
function keepServerFields({ metadata }: KubeObject, { metadata: old }: KubeObject): void {
  delete metadata.selfLink;
  for (const field of [...SERVER_FIELDS, "generateName", "namespace"] as const) {
    metadata[field] ||= old[field] as never;
    if (metadata[field] === undefined || metadata[field] === null) delete metadata[field];
  }
  metadata.resourceVersion = old.resourceVersion ?? "";
  if (old.generation !== undefined) metadata.generation = old.generation;
  else delete metadata.generation;
}

function generationOf({ resource, subresource }: Target, object: KubeObject, old: KubeObject): number {
  const { metadata, ...now } = object;
  const { metadata: oldMetadata, ...before } = old;
  // Where the status has no path of its own it is a part like any other.
  if (resource.hasStatus) [now.status, before.status] = [undefined, undefined];
  const counting = subresource ? [] : (COUNTING_METADATA[resource.kind] ?? []);
  const isSame = sameJson(now, before) && counting.every((field) => sameJson(metadata[field], oldMetadata[field]));
  return (oldMetadata.generation ?? 0) + (isSame ? 0 : 1);
}

// Deployments hand their annotations on to ReplicaSets; what is said of an EndpointSlice is all wanted.
const COUNTING_METADATA: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["annotations"],
  EndpointSlice: ["labels", "annotations", "finalizers", "ownerReferences"],
};

function causesOf(resource: Resource, object: KubeObject, old: KubeObject, subresource: string | undefined) {
  const { rules, isCustom } = resource;
  const before = [...metadataUpdateCauses(object, old), ...finalizerCauses(resource, object)];
  const own = rules.validate?.(object, old, subresource, before) ?? [];
  return isCustom ? own : [...before, ...own];
}
