import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import { compileCrd } from "../crd/compile-crd.ts";
import { crdStatus } from "../crd/crd-status.ts";
import type { CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import type { Resource } from "../kinds/resource.ts";
import { asCrd, CLEANUP_FINALIZER } from "../kinds/rules/crd-rules.ts";
import { type KubeObject, sameJson } from "../kube-object.ts";
import type { ChangeListener } from "../storage/change.ts";
import { prefixOf } from "../storage/entry.ts";
import { remove } from "../verbs/delete.ts";
import { update } from "../verbs/update.ts";
import { customResource } from "./custom-resource.ts";

const RETRY_MS = 500;

/**
 * Serves what the CustomResourceDefinitions define: settles their names, compiles them, and, when one is deleted,
 * deletes its objects first. Level-triggered: every pass looks at all of them.
 */
export class CustomKinds implements ChangeListener {
  readonly #api: ApiContext;
  readonly #definitions: Resource;
  #compiled: ReadonlyMap<string, Compiled> = new Map();
  #served: readonly CustomResourceDefinition[] = [];
  #isDirty = false;
  #isClosed = false;
  #passes: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;

  constructor(api: ApiContext, definitions: Resource) {
    this.#api = api;
    this.#definitions = definitions;
  }

  /** Returns once everything that is already defined is served. */
  async start(): Promise<void> {
    const cache = this.#cache;
    await cache.fresh();
    cache.listen(this, cache.revision);
    this.#wake();
    await this.#passes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#cache.unlisten(this);
    await this.#passes;
  }

  /** Those whose objects are served, for OpenAPI. */
  get definitions(): readonly CustomResourceDefinition[] {
    return this.#served;
  }

  changed(): void {
    this.#wake();
  }

  lost(): void {
    if (!this.#isClosed) void this.start().catch(() => this.#retryLater());
  }

  get #cache() {
    return this.#api.caches.of(this.#definitions.prefix);
  }

  #wake(): void {
    if (this.#isDirty || this.#isClosed) return;
    this.#isDirty = true;
    this.#passes = this.#passes.then(() => this.#pass());
  }

  #retryLater(): void {
    clearTimeout(this.#retry);
    if (!this.#isClosed) this.#retry = setTimeout(() => this.#wake(), RETRY_MS);
  }

  async #pass(): Promise<void> {
    this.#isDirty = false;
    const { codec, prefix } = this.#definitions;
    const objects = this.#cache.under(prefix).map((entry) => codec.read(entry));
    this.#serve(objects);
    try {
      for (const object of objects) {
        if (object.metadata.deletionTimestamp) await this.#cleanUp(object);
        else await this.#settle(object, objects);
      }
    } catch {
      // A conflict with another writer, or a store that is away.
      this.#retryLater();
    }
  }

  #serve(objects: readonly KubeObject[]): void {
    const established = objects.filter(isEstablished);
    // Only what changed is compiled again, and what is gone is forgotten.
    this.#compiled = new Map(
      established.map((object) => [idOf(object), this.#compiled.get(idOf(object)) ?? compile(object)]),
    );
    const served = [...this.#compiled.values()].flat();
    const before = this.#api.registry.customPrefixes();
    this.#api.registry.replaceCustom(served);
    this.#served = established.map(asCrd);
    const now = new Set(served.map(({ prefix }) => prefix));
    for (const prefix of before) if (!now.has(prefix)) void this.#api.caches.drop(prefix);
  }

  async #settle(object: KubeObject, all: readonly KubeObject[]): Promise<void> {
    const others = all.filter((other) => other !== object).map(asCrd);
    const status = crdStatus(asCrd(object), this.#api.admission.now(), others);
    if (!sameJson(object.status, status)) await this.#update(object, "status", (old) => ({ ...old, status }));
  }

  // Each object goes the way of any deletion, so that its own finalizers are respected.
  async #cleanUp(object: KubeObject): Promise<void> {
    if (!object.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const { group, names } = asCrd(object).spec;
    const resource = this.#api.registry.findAny(group, names.plural);
    const { entries } = await this.#api.store.page({ prefix: prefixOf(group, names.plural) });
    for (const entry of resource ? entries : []) {
      if (resource) await removed(this.#api, resource, resource.codec.read(entry));
    }
    const left = await this.#api.store.page({ prefix: prefixOf(group, names.plural), limit: 1 });
    if (left.entries.length > 0) return this.#retryLater();
    await this.#update(object, undefined, (old) => withoutFinalizer(old));
  }

  async #update(
    object: KubeObject,
    subresource: string | undefined,
    change: (old: KubeObject) => KubeObject,
  ): Promise<void> {
    const name = object.metadata.name ?? "";
    const target = { resource: this.#definitions, namespace: undefined, name, ...(subresource && { subresource }) };
    await update(this.#api, target, QUIET, (old) => change(structuredClone(old)));
  }
}

type Compiled = readonly Resource[];

function idOf({ metadata }: KubeObject): string {
  return `${metadata.uid} ${metadata.generation} ${metadata.deletionTimestamp ?? ""}`;
}

function compile(object: KubeObject): Compiled {
  const crd = asCrd(object);
  const { versions } = compileCrd(crd);
  const storage = crd.spec.versions.find((version) => version.storage);
  return crd.spec.versions.flatMap((version) => {
    const own = versions.get(version.name);
    const stored = versions.get(storage?.name ?? version.name);
    return version.served && own && stored ? [customResource(crd, version, { own, stored })] : [];
  });
}

const QUIET = { isDryRun: false, fieldValidation: "Ignore", warn: () => {} } as const;

async function removed(api: ApiContext, resource: Resource, { metadata }: KubeObject): Promise<void> {
  const target = { resource, namespace: metadata.namespace, name: metadata.name ?? "" };
  try {
    await remove(api, target, { isDryRun: false });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
}

function withoutFinalizer(object: KubeObject): KubeObject {
  const finalizers = object.metadata.finalizers?.filter((finalizer) => finalizer !== CLEANUP_FINALIZER) ?? [];
  const { finalizers: _, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(finalizers.length > 0 && { finalizers }) } };
}

function isEstablished(object: KubeObject): boolean {
  const { conditions = [] } = asCrd(object).status ?? {};
  return (conditions ?? []).some(({ type, status }) => type === "Established" && status === "True");
}
