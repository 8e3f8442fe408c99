import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, conflict, forbidden, invalid, notFound } from "../api-error.ts";
import { invalid as invalidValue, notSupported } from "../crd/cause.ts";
import type { Resource } from "../kinds/resource.ts";
import { isObject, type JsonObject, type KubeObject, sameJson } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import type { Entry } from "../storage/entry.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { isDryRun } from "./write-options.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagation?: "Foreground" | "Background" | "Orphan";
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly isDryRun: boolean;
}

export type Deleted =
  /** It is gone; this is what it was. */
  | { readonly kind: "gone"; readonly entry: Entry }
  /** It is marked, and stays until someone has done with it. */
  | { readonly kind: "marked"; readonly entry: Entry };

/** Options stand in the body or, where there is none, in the query. */
export function deleteOptions(asked: URLSearchParams, sent: JsonObject | undefined): DeleteOptions {
  const [query, body] = sent ? [new URLSearchParams(), sent] : [asked, {} as JsonObject];
  const grace = body.gracePeriodSeconds ?? numberOf(query.get("gracePeriodSeconds"));
  const orphans = body.orphanDependents ?? { true: true, false: false }[query.get("orphanDependents") ?? ""];
  const wanted = body.propagationPolicy ?? query.get("propagationPolicy") ?? undefined;
  if (orphans !== undefined && wanted !== undefined) throw bothSet(wanted);
  const policy = wanted ?? (orphans === true ? "Orphan" : undefined);
  const preconditions = isObject(body.preconditions) ? body.preconditions : {};
  const dryRun = Array.isArray(body.dryRun) ? body.dryRun : query.getAll("dryRun");
  return {
    ...(typeof grace === "number" && { gracePeriodSeconds: grace }),
    ...(policy !== undefined && { propagation: propagationOf(policy) }),
    ...(typeof preconditions.uid === "string" && { uid: preconditions.uid }),
    ...(typeof preconditions.resourceVersion === "string" && { resourceVersion: preconditions.resourceVersion }),
    isDryRun: isDryRun(dryRun, "DeleteOptions"),
  };
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function bothSet(policy: unknown): Error {
  const why = "orphanDependents and deletionPropagation cannot be both set";
  const cause = invalidValue("propagationPolicy", policy, why);
  return invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [cause]);
}

function propagationOf(policy: unknown): NonNullable<DeleteOptions["propagation"]> {
  if (policy === "Foreground" || policy === "Background" || policy === "Orphan") return policy;
  const cause = notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]);
  throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [cause]);
}

/**
 * Deletes an object, or marks it if finalizers or a grace period keep it for a while. The first try trusts the cache, which saves
 * a read: if it was behind, the transaction does not hold, and neither a refusal nor "nothing to do" is believed.
 */
export async function remove(api: ApiContext, target: Target, options: DeleteOptions): Promise<Deleted> {
  const { resource, name } = target;
  const key = keyOfTarget(target);
  const known = options.isDryRun ? undefined : api.caches.known(resource.prefix, key);
  let result = known && (await attempt(api, target, options, known).catch(unlessRefused));
  if (result?.kind === "marked" && result.entry === known) result = undefined;
  while (!result) {
    const entry = await api.store.get(key);
    if (!entry) throw notFound(resource, name);
    result = await attempt(api, target, options, entry);
  }
  // Admission asks the cache whether a namespace is ending, and whoever deleted it relies on the answer.
  if (resource.kind === "Namespace" && !options.isDryRun) await api.caches.of(resource.prefix).fresh();
  return result;
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

/** Undefined: someone else wrote first. */
async function attempt(
  api: ApiContext,
  target: Target,
  options: DeleteOptions,
  entry: Entry,
): Promise<Deleted | undefined> {
  const { resource, name } = target;
  const object = resource.codec.read(entry);
  checkPreconditions(target, object, options);
  const refusal = resource.rules.refuseDelete?.(object);
  if (refusal) throw forbidden(resource, name, refusal);
  const marked = markedForDeletion(resource, object, options, api.admission.now());
  const isKept = marked !== undefined && (!options.isDryRun || isHeldAnyway(resource, object, marked));
  return apply(api, resource, entry, object, isKept ? marked : undefined, options.isDryRun);
}

/** Whether an object is the one that the caller means. */
export function checkPreconditions(
  { resource, name }: Target,
  { metadata }: KubeObject,
  options: Pick<DeleteOptions, "uid" | "resourceVersion">,
): void {
  // Here, and only here, messages speak of the kind.
  const subject = { group: resource.group, plural: resource.kind };
  if (options.uid !== undefined && options.uid !== metadata.uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${metadata.uid}). `;
    throw conflict(subject, name, `${why}The object might have been deleted and then recreated`);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== metadata.resourceVersion) {
    const found = `the ResourceVersion in record (${metadata.resourceVersion})`;
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match ${found}. `;
    throw conflict(subject, name, `${why}The object might have been modified`);
  }
}

/** The object as it has to stay for now; undefined: nothing keeps it. */
function markedForDeletion(
  { rules }: Resource,
  object: KubeObject,
  options: DeleteOptions,
  now: Date,
): KubeObject | undefined {
  const graceSeconds = graceOf(object, rules.gracePeriodSeconds?.(object, options.gracePeriodSeconds) ?? 0);
  // Nobody collects what belongs to an Event.
  const propagation = object.kind === "Event" ? undefined : options.propagation;
  const finalizers = finalizersFor(object.metadata.finalizers ?? [], propagation);
  const first = rules.finalizerOnDelete;
  if (first && !object.metadata.deletionTimestamp && !finalizers.includes(first)) finalizers.push(first);
  if (graceSeconds === 0 && finalizers.length === 0 && !rules.isHeld?.(object)) return undefined;
  const { finalizers: _, ...metadata } = structuredClone(object.metadata);
  const marked: KubeObject = { ...structuredClone(object), metadata };
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  const isFirst = !metadata.deletionTimestamp;
  if (isFirst || graceSeconds < (metadata.deletionGracePeriodSeconds ?? 0)) {
    metadata.deletionGracePeriodSeconds = graceSeconds;
    metadata.deletionTimestamp = timestamp(new Date(now.getTime() + graceSeconds * 1000));
  }
  if (isFirst && metadata.generation) metadata.generation += 1;
  rules.prepareDelete?.(marked);
  return marked;
}

/** Whether it would stay without the garbage collector, which a dry run does not call. */
function isHeldAnyway({ rules }: Resource, { metadata }: KubeObject, marked: KubeObject): boolean {
  const isGraceful = (marked.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  return isGraceful || (metadata.finalizers ?? []).length > 0 || rules.finalizerOnDelete !== undefined;
}

// Once begun, a grace period can only get shorter.
function graceOf({ metadata }: KubeObject, seconds: number): number {
  return metadata.deletionTimestamp ? Math.min(seconds, metadata.deletionGracePeriodSeconds ?? seconds) : seconds;
}

const OF_GARBAGE_COLLECTION = ["orphan", "foregroundDeletion"];

/** The garbage collector works on the two finalizers of its own; the last deletion says which of them it shall find. */
function finalizersFor(finalizers: readonly string[], propagation: DeleteOptions["propagation"]): string[] {
  if (!propagation) return [...finalizers];
  const others = finalizers.filter((finalizer) => !OF_GARBAGE_COLLECTION.includes(finalizer));
  if (propagation === "Orphan") return [...others, "orphan"];
  return propagation === "Foreground" ? [...others, "foregroundDeletion"] : others;
}

/** Undefined: someone else wrote first. */
async function apply(
  api: ApiContext,
  resource: Resource,
  entry: Entry,
  object: KubeObject,
  marked: KubeObject | undefined,
  isDryRun: boolean,
): Promise<Deleted | undefined> {
  if (!marked) {
    const last = resource.rules.gracePeriodSeconds ? ended(resource, entry, object, api.admission.now()) : entry;
    if (isDryRun) return { kind: "gone", entry: last };
    const result = await api.store.delete(entry, { release: resource.rules.claims?.(object) ?? [] });
    return result.kind === "written" ? { kind: "gone", entry: last } : undefined;
  }
  if (isDryRun || sameJson(marked, object)) return { kind: "marked", entry };
  const value = resource.codec.encode(marked);
  const result = await api.store.update(entry, value);
  if (result.kind !== "written") return undefined;
  return { kind: "marked", entry: { key: entry.key, value, revision: result.revision } };
}

/** What would have had a grace period says of itself that it had none. */
function ended(resource: Resource, entry: Entry, object: KubeObject, now: Date): Entry {
  const { deletionTimestamp = timestamp(now), generation } = object.metadata;
  const isFirst = object.metadata.deletionTimestamp === undefined;
  const metadata = {
    ...object.metadata,
    ...(generation !== undefined && isFirst && { generation: generation + 1 }),
    deletionTimestamp,
    deletionGracePeriodSeconds: 0,
  };
  return { ...entry, value: resource.codec.encode({ ...object, metadata }) };
}

/** The body of an answer when nothing is left to show. */
export function deletedStatus({ group, plural }: Resource, { metadata }: KubeObject): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: metadata.name, ...(group !== "" && { group }), kind: plural, uid: metadata.uid },
  };
}
