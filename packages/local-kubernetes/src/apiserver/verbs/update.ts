import type { ApiContext } from "../api-context.ts";
import {
  ApiError,
  badRequest,
  conflict,
  invalid,
  modified,
  notFound,
  type ResourceName,
  tookTooLong,
} from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import type { Resource } from "../kinds/resource.ts";
import { cloneJson, type JsonObject, type KubeObject, sameJson } from "../kube-object.ts";
import type { Entry } from "../storage/entry.ts";
import { claimRefusal } from "./claim-refusal.ts";
import { checkIdentity, preparedUpdate } from "./prepare-update.ts";
import { readObject } from "./read-body.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { checkWantedVersion } from "./wanted-version.ts";
import type { WriteOptions } from "./write-options.ts";
import { served, tried, type Written } from "./written.ts";

/** Makes the wanted object of the present one, which it must not change; called again when someone else was faster. */
export type Change = (old: KubeObject) => KubeObject | Promise<KubeObject>;

// As long as a request may take in kube-apiserver.
const LONGEST_MS = 34_000;

/** PUT: the body takes the place of the object. */
export async function replace(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
): Promise<Written> {
  const { resource, name } = target;
  const sent = await readUnlessMissing(api, target, body, options);
  if (!sent.metadata.name) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  checkIdentity(target, sent);
  const { uid, resourceVersion } = sent.metadata;
  return update(api, target, options, (old) => {
    if (uid && uid !== old.metadata.uid) throw otherObject(target, uid, old, options.isDryRun);
    if (resource.needsVersion && (!resourceVersion || resourceVersion === "0")) throw versionMissing(resource, name);
    return cloneJson(sent);
  });
}

/** An object of another kind is invalid only where there is one to replace. */
async function readUnlessMissing(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
): Promise<KubeObject> {
  try {
    return readObject(target.resource, body, options);
  } catch (error) {
    const isInvalid = error instanceof ApiError && error.code === 422;
    if (isInvalid && !(await api.store.get(keyOfTarget(target)))) throw notFound(target.resource, target.name);
    throw error;
  }
}

/**
 * Changes an object in one transaction, or in as many as it takes when the change named no resourceVersion: of several
 * who write at once one wins, so that all of them come to an end. The first try trusts the cache, which saves a read:
 * if it was behind, the transaction does not hold, and nothing that it led to is believed.
 */
export async function update(api: ApiContext, target: Target, options: WriteOptions, change: Change): Promise<Written> {
  const { resource, name } = target;
  const key = keyOfTarget(target);
  const known = api.caches.known(resource.prefix, key);
  if (known) {
    const written = await attempt(api, target, options, change, known, "cached").catch(unlessRefused);
    if (written) return written;
  }
  const deadlineMs = api.admission.now().getTime() + LONGEST_MS;
  for (;;) {
    const entry = await api.store.get(key);
    if (!entry) throw notFound(resource, name);
    const written = await attempt(api, target, options, change, entry, "current");
    if (written) return written;
    if (api.admission.now().getTime() > deadlineMs) throw tookTooLong();
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
}

/** Undefined: the object is not, or perhaps not, what it was taken for. */
async function attempt(
  api: ApiContext,
  target: Target,
  options: WriteOptions,
  change: Change,
  entry: Entry,
  seen: "cached" | "current",
): Promise<Written | undefined> {
  const { resource, name } = target;
  const old = resource.codec.read(entry);
  const wanted = await change(old);
  const { resourceVersion } = wanted.metadata;
  checkWantedVersion(resourceVersion);
  if (resourceVersion && resourceVersion !== "0" && resourceVersion !== String(entry.revision)) {
    throw modified(resource, name);
  }
  const asked = resource.rules.claims?.(wanted) ?? [];
  const object = await preparedUpdate(api, target, wanted, old, options);
  const isUnchanged = sameJson(object, old);
  const writesNothing = options.isDryRun || isUnchanged;
  if (writesNothing && seen === "cached") return undefined;
  if (isUnchanged) return served(entry);
  return options.isDryRun ? tried(resource, object) : write(api, resource, { entry, old, object, asked });
}

interface Step {
  readonly entry: Entry;
  readonly old: KubeObject;
  readonly object: KubeObject;
  /** The keys that the client wants the object to hold; others are the server's choice. */
  readonly asked: readonly string[];
}

/** Undefined: someone else wrote first, or has what the server chose. */
async function write(
  api: ApiContext,
  resource: Resource,
  { entry, old, object, asked }: Step,
): Promise<Written | undefined> {
  const value = resource.codec.encode(object);
  const before = resource.rules.claims?.(old) ?? [];
  if (isOver(resource, object)) {
    const result = await api.store.delete(entry, { release: before });
    return result.kind === "written" ? served({ key: entry.key, value, revision: result.revision }) : undefined;
  }
  const now = resource.rules.claims?.(object) ?? [];
  const take = now.filter((key) => !before.includes(key));
  const release = before.filter((key) => !now.includes(key));
  const result = await api.store.update(entry, value, { take, release });
  if (result.kind === "claimed") {
    const refusal = await claimRefusal(
      api,
      resource,
      object,
      take.filter((key) => asked.includes(key)),
    );
    if (refusal) throw refusal;
  }
  return result.kind === "written" ? served({ key: entry.key, value, revision: result.revision }) : undefined;
}

/** An object that was only waiting for its last finalizer goes with it. */
function isOver({ rules }: Resource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds > 0 || finalizers.length > 0) return false;
  return !rules.isHeld?.(object);
}

/** `metadata` is that of the object which is there; empty: none is. */
export function otherObject(
  target: Target,
  uid: string,
  { metadata }: Pick<KubeObject, "metadata">,
  isDryRun: boolean,
): Error {
  const { resource, name } = target;
  const key = `${isDryRun ? "" : "/registry"}/${placeOf(target)}`;
  const found = `UID in precondition: ${uid}, UID in object meta: ${metadata.uid ?? ""}`;
  return conflict(
    resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${found}`,
  );
}

// Where a real server keeps them.
const PLACES: Readonly<Record<string, string>> = {
  services: "services/specs",
  endpoints: "services/endpoints",
  nodes: "minions",
};

function placeOf({ resource, namespace, name }: Target): string {
  const { group, plural, isCustom } = resource;
  const folder = isCustom ? `${group}/${plural}` : (PLACES[plural] ?? plural);
  return [folder, namespace, name].filter((part) => part !== undefined).join("/");
}

export function versionMissing({ group, plural }: ResourceName, name: string): Error {
  const cause = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
  return invalid({ group, kind: plural }, name, [cause]);
}
