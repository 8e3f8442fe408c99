import type { KubeObject, ObjectRef, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import type {
  DeleteOptions,
  Patch,
  Selection,
  WatchOptions,
} from "@etcd-operator/kubernetes-client/requests/request-options.ts";
import type { WatchEvent } from "@etcd-operator/kubernetes-client/watch/watch-event.ts";
import type { KubeletClient } from "@etcd-operator/local-kubernetes/kubelet/node-context.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

/**
 * An API server in memory, as far as a kubelet needs one: objects, versions, conflicts, watches and graceful deletion.
 */
export class ClusterUnderTest implements KubeletClient {
  readonly #objects = new Map<string, Stored>();
  readonly #watchers = new Set<(plural: string, event: WatchEvent<KubeObject>) => void>();
  #version = 0;

  async get<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<Stored<T>> {
    return structuredClone(this.#stored(resource, ref));
  }

  async list<T extends KubeObject>(resource: Resource<T>, selection: Selection = {}) {
    const items = [...this.#objects]
      .filter(([key, object]) => key.startsWith(`${resource.plural}/`) && isSelected(object, selection))
      .map(([, object]) => structuredClone(object) as Stored<T>);
    return { items, resourceVersion: String(this.#version) };
  }

  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const events: WatchEvent<T>[] = [];
    let wake: () => void = () => undefined;
    const hear = (plural: string, event: WatchEvent<KubeObject>) => {
      if (plural !== resource.plural || event.type === "BOOKMARK" || !isSelected(event.object, options)) return;
      events.push(structuredClone(event) as WatchEvent<T>);
      wake();
    };
    this.#watchers.add(hear);
    options.signal?.addEventListener("abort", () => wake(), { once: true });
    while (!options.signal?.aborted) {
      const event = events.shift();
      if (event) yield event;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    this.#watchers.delete(hear);
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>> {
    const name = object.metadata?.name ?? "";
    const key = keyIn(resource, { name, namespace: object.metadata?.namespace });
    if (this.#objects.has(key)) throw failure("already-exists", key);
    this.#version += 1;
    const metadata = {
      ...object.metadata,
      name,
      uid: `uid-${this.#version}`,
      creationTimestamp: new Date().toISOString(),
    };
    return this.#keep(resource, key, "ADDED", { ...object, apiVersion: "v1", kind: resource.kind, metadata });
  }

  async updateStatus<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>> {
    const { name = "", namespace, resourceVersion } = object.metadata ?? {};
    const stored = this.#stored(resource, { name, namespace });
    if (resourceVersion !== stored.metadata.resourceVersion) throw failure("conflict", name);
    const { status } = object as { status?: unknown };
    return this.#keep(resource, keyIn(resource, { name, namespace }), "MODIFIED", { ...stored, status });
  }

  async patch<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch): Promise<Stored<T>> {
    const merge = "merge" in patch ? patch.merge : {};
    return this.#keep(resource, keyIn(resource, ref), "MODIFIED", merged(this.#stored(resource, ref), merge));
  }

  async patchStatus<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, patch: Patch): Promise<Stored<T>> {
    return this.patch(resource, ref, patch);
  }

  async delete<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef, options: DeleteOptions = {}) {
    const stored = this.#stored(resource, ref) as Stored<Pod>;
    const { uid } = options.preconditions ?? {};
    if (uid !== undefined && uid !== stored.metadata.uid) throw failure("conflict", ref.name);
    const grace = options.gracePeriodSeconds ?? stored.spec?.terminationGracePeriodSeconds ?? 30;
    const key = keyIn(resource, ref);
    if (resource.plural === "pods" && grace > 0) {
      const deletion = { deletionTimestamp: new Date().toISOString(), deletionGracePeriodSeconds: grace };
      return this.#keep(resource, key, "MODIFIED", {
        ...stored,
        metadata: { ...stored.metadata, ...deletion },
      }) as Stored<T>;
    }
    this.#keep(resource, key, "DELETED", stored);
    this.#objects.delete(key);
    return undefined;
  }

  async request<Answer>(): Promise<Answer> {
    throw failure("not-found", "this API server has no subresources");
  }

  #stored<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Stored<T> {
    const object = this.#objects.get(keyIn(resource, ref));
    if (!object) throw failure("not-found", keyIn(resource, ref));
    return object as Stored<T>;
  }

  #keep<T extends KubeObject>(
    resource: Resource<T>,
    key: string,
    type: "ADDED" | "MODIFIED" | "DELETED",
    object: unknown,
  ): Stored<T> {
    this.#version += 1;
    const { metadata } = object as Stored<T>;
    const kept = { ...(object as Stored<T>), metadata: { ...metadata, resourceVersion: String(this.#version) } };
    this.#objects.set(key, structuredClone(kept));
    for (const hear of this.#watchers) hear(resource.plural, { type, object: kept });
    return structuredClone(kept);
  }
}

function keyIn({ plural }: Resource, { namespace = "", name }: ObjectRef): string {
  return `${plural}/${namespace}/${name}`;
}

function isSelected(object: KubeObject, { fieldSelector }: Selection): boolean {
  const [, node] = /^spec\.nodeName=(.*)$/.exec(fieldSelector ?? "") ?? [];
  return node === undefined || (object as Pod).spec?.nodeName === node;
}

function merged<T>(target: T, patch: unknown): T {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch as T;
  const base = typeof target === "object" && target !== null ? target : {};
  const entries = Object.entries(patch).map(([key, value]) => [
    key,
    merged((base as Record<string, unknown>)[key], value),
  ]);
  return { ...base, ...Object.fromEntries(entries) } as T;
}

function failure(code: KubernetesErrorCode, what: string): KubernetesError {
  return new KubernetesError(code, { operation: "a call in memory", message: `${code}: ${what}` });
}
