import { randomUUID } from "node:crypto";
import type { ApiContext } from "../api-context.ts";
import { ApiError, alreadyExists, badRequest, forbidden, invalid, notFound, plainError } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { isTerminating } from "../kinds/rules/namespace-rules.ts";
import { cloneJson, type JsonObject, type KubeObject } from "../kube-object.ts";
import { finalizerCauses, metadataCauses } from "../meta/metadata-validation.ts";
import { timestamp } from "../meta/timestamp.ts";
import { keyOf } from "../storage/entry.ts";
import { claimRefusal, refusedClaim } from "./claim-refusal.ts";
import { readObject } from "./read-body.ts";
import type { WriteOptions } from "./write-options.ts";
import { served, tried, type Written } from "./written.ts";

export interface Creation {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly body: JsonObject;
  readonly options: WriteOptions;
}

// As many as kube-apiserver tries before it gives up on a generated name.
const ATTEMPTS = 8;

/** Stores a new object. A generated name, or an address the server chose, that is taken is chosen again. */
export async function create(api: ApiContext, creation: Creation): Promise<Written> {
  const { resource, namespace, options } = creation;
  const sent = readObject(resource, creation.body, options);
  if (!resource.namespaced) delete sent.metadata.namespace;
  checkNamespace(sent, namespace);
  // What is no version counts as none.
  if (/^0*[1-9]\d*$/.test(sent.metadata.resourceVersion ?? ""))
    throw plainError("resourceVersion should not be set on objects to be created");
  if (namespace) await requireNamespace(api, resource, namespace, sent.metadata.name ?? "");
  for (let attempt = 1; ; attempt++) {
    const object = await prepared(api, creation, cloneJson(sent));
    const result = await stored(api, resource, object, options.isDryRun);
    if (result !== "taken" && result !== "claimed") return result;
    const name = object.metadata.name ?? "";
    if (result === "claimed") {
      const refusal = await claimRefusal(api, resource, object, resource.rules.claims?.(sent) ?? []);
      if (refusal) throw refusal;
      if (attempt === ATTEMPTS) throw refusedClaim(resource, object, "");
    } else if (sent.metadata.name || attempt === ATTEMPTS) throw await taken(api, creation, name);
  }
}

/** Whose name it is may be on the way out. */
async function taken(api: ApiContext, { resource, namespace }: Creation, name: string): Promise<ApiError> {
  const entry = await api.store.get(keyOf(resource.prefix, namespace, name));
  const refusal = alreadyExists(resource, name);
  if (!entry || !resource.codec.read(entry).metadata.deletionTimestamp) return refusal;
  return new ApiError(refusal.code, refusal.reason, `object is being deleted: ${refusal.message}`, refusal.details);
}

function checkNamespace({ metadata }: KubeObject, namespace: string | undefined): void {
  if (!metadata.namespace || metadata.namespace === namespace) return;
  throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}

async function requireNamespace(api: ApiContext, resource: Resource, namespace: string, name: string): Promise<void> {
  const found = await api.admission.find("", "namespaces", namespace);
  if (!found) throw notFound({ group: "", plural: "namespaces" }, namespace);
  if (!isTerminating(found)) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw forbidden(resource, name, why, [cause]);
}

async function prepared(api: ApiContext, creation: Creation, object: KubeObject): Promise<KubeObject> {
  const { resource, namespace, options } = creation;
  const { rules } = resource;
  nameObject(api, object, namespace, resource.tracksGeneration);
  if (resource.hasStatus && !rules.keepsCreatedStatus) delete object.status;
  rules.applyDefaults?.(object);
  rules.prepareCreate?.(object);
  await rules.admit?.(object, api.admission);
  const causes = validated(resource, object);
  if (causes.length > 0) throw invalid(resource, object.metadata.name ?? "", causes);
  for (const warning of rules.warnings?.(object) ?? []) options.warn(warning);
  rules.allocate?.(object, api.admission);
  return object;
}

function validated(resource: Resource, object: KubeObject) {
  const { rules, nameRule, isCustom } = resource;
  const before = [...metadataCauses(object, nameRule), ...finalizerCauses(resource, object)];
  const own = rules.validate?.(object, undefined, undefined, before) ?? [];
  // Custom kinds put what is known already in front of their own findings.
  return isCustom ? own : [...before, ...own];
}

function nameObject(
  api: ApiContext,
  object: KubeObject,
  namespace: string | undefined,
  tracksGeneration: boolean,
): void {
  const { name, generateName, generation, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const generated = generateName ? `${generateName.slice(0, 58)}${api.admission.suffix()}` : undefined;
  const chosen = name || generated;
  object.metadata = {
    ...(chosen && { name: chosen }),
    ...(generateName && { generateName }),
    ...(namespace && { namespace }),
    uid: randomUUID(),
    // Where changes are not counted it is a number like any other.
    ...(tracksGeneration ? { generation: 1 } : generation && { generation }),
    creationTimestamp: timestamp(api.admission.now()),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(ownerReferences && { ownerReferences }),
    ...(finalizers && { finalizers }),
  };
}

type Stored = Written | "taken" | "claimed";

async function stored(api: ApiContext, resource: Resource, object: KubeObject, isDryRun: boolean): Promise<Stored> {
  const key = keyOf(resource.prefix, object.metadata.namespace, object.metadata.name ?? "");
  if (isDryRun) return (await api.store.get(key)) ? "taken" : tried(resource, object);
  const value = resource.codec.encode(object);
  const result = await api.store.create(key, value, { take: resource.rules.claims?.(object) ?? [] });
  if (result.kind === "changed") return "taken";
  if (result.kind === "claimed") return "claimed";
  return served({ key, value, revision: result.revision });
}
