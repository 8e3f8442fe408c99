import type { ApiContext } from "../api-context.ts";
import { ApiError, conflict, forbidden, notFound } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { type JsonObject, type KubeObject, type ObjectMeta, sameJson } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import type { Entry } from "../storage/entry.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { keyOfTarget, type Target } from "./target.ts";

export type Deleted =
  /** It is gone; this is what it was. */
  | { readonly kind: "gone"; readonly entry: Entry }
  /** It is marked, and stays until someone has done with it. */
  | { readonly kind: "marked"; readonly entry: Entry };

/**
 * Deletes an object, or marks it if finalizers or a grace period keep it for a while. The first try trusts the cache,
 * which saves a read: if it was behind, the transaction does not hold, and neither a refusal nor "nothing to do" is
 * believed.
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
  // Admission asks the cache whether a namespace is ending, and the client that deleted it relies on the answer.
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
  // What belongs to an Event is not collected.
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
    metadata.deletionTimestamp = timestamp(endOf(object.metadata, graceSeconds, now));
  }
  if (isFirst && metadata.generation) metadata.generation += 1;
  rules.prepareDelete?.(marked);
  return marked;
}

/** A grace period that gets shorter began when it began, and does not end in the past. */
function endOf(
  { deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  graceSeconds: number,
  now: Date,
): Date {
  if (!deletionTimestamp) return new Date(now.getTime() + graceSeconds * 1000);
  const end = new Date(deletionTimestamp).getTime() + (graceSeconds - deletionGracePeriodSeconds) * 1000;
  return new Date(Math.max(end, now.getTime()));
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
    if (resource.rules.gracePeriodSeconds) return removeAtOnce(api, resource, entry, object, isDryRun);
    if (isDryRun) return { kind: "gone", entry };
    const result = await api.store.delete(entry, { release: resource.rules.claims?.(object) ?? [] });
    return result.kind === "written" ? { kind: "gone", entry: { ...entry, revision: result.revision } } : undefined;
  }
  if (isDryRun || sameJson(marked, object)) return { kind: "marked", entry };
  const value = resource.codec.encode(marked);
  const result = await api.store.update(entry, value);
  if (result.kind !== "written") return undefined;
  return { kind: "marked", entry: { key: entry.key, value, revision: result.revision } };
}

/**
 * What could have had a grace period first says of itself that it has none, so that who watches sees it, and then goes.
 * Undefined: someone else wrote first.
 */
async function removeAtOnce(
  api: ApiContext,
  resource: Resource,
  entry: Entry,
  object: KubeObject,
  isDryRun: boolean,
): Promise<Deleted | undefined> {
  const ended = endedNow(object, api.admission.now());
  const value = resource.codec.encode(ended);
  if (isDryRun) return { kind: "gone", entry: { ...entry, value } };
  let last: Entry = entry;
  if (ended !== object) {
    const result = await api.store.update(entry, value);
    if (result.kind !== "written") return undefined;
    last = { key: entry.key, value, revision: result.revision };
  }
  for (;;) {
    const result = await api.store.delete(last);
    if (result.kind === "written") return { kind: "gone", entry: { ...last, revision: result.revision } };
    const now = await api.store.get(entry.key);
    // Once it has ended, any other deletion of it has the requested effect.
    if (!now || resource.codec.read(now).metadata.uid !== object.metadata.uid) return { kind: "gone", entry: last };
    if (resource.codec.read(now).metadata.finalizers?.length) return { kind: "marked", entry: now };
    last = now;
  }
}

function endedNow(object: KubeObject, now: Date): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = object.metadata;
  if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0) return object;
  const isFirst = deletionTimestamp === undefined;
  const metadata = {
    ...object.metadata,
    ...(generation !== undefined && isFirst && { generation: generation + 1 }),
    deletionTimestamp: timestamp(now),
    deletionGracePeriodSeconds: 0,
  };
  return { ...object, metadata };
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
