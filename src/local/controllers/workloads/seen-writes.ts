import type { CacheReader } from "../../../kubernetes/cache.ts";
import type { KubeObject, ObjectRef, Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import type { DeleteOptions, Patch } from "../../../kubernetes/request-options.ts";
import type { Resource } from "../../../kubernetes/resource.ts";
import type { KubeClient } from "../../../kubernetes/rest-client.ts";
import type { ControllerContext } from "../controller-context.ts";
import { sharedInformer } from "../informers.ts";

type Writer = Pick<KubeClient, "create" | "update" | "updateStatus" | "patch" | "delete">;

/** Writes to one kind that return when the cache shows them: a pass that does not see what the last one did does it again. */
export class SeenWrites<T extends KubeObject> {
  readonly #client: Writer;
  readonly #resource: Resource<T>;
  readonly #cache: CacheReader<KubeObject>;
  readonly #signal: AbortSignal;

  constructor({ client, informers, signal }: ControllerContext, resource: Resource<T>) {
    const informer = sharedInformer(informers, resource);
    if (!informer) throw new TypeError(`no informer of ${resource.plural}`);
    this.#client = client;
    this.#resource = resource;
    this.#cache = informer.cache;
    this.#signal = signal;
  }

  async create(object: T): Promise<Stored<T>> {
    return this.#seen(await this.#client.create(this.#resource, object, { signal: this.#signal }));
  }

  async update(object: T): Promise<Stored<T>> {
    return this.#seen(await this.#client.update(this.#resource, object, { signal: this.#signal }));
  }

  async updateStatus(object: T): Promise<Stored<T>> {
    return this.#seen(await this.#client.updateStatus(this.#resource, object, { signal: this.#signal }));
  }

  async patch(ref: ObjectRef, patch: Patch): Promise<Stored<T>> {
    return this.#seen(await this.#client.patch(this.#resource, ref, patch, { signal: this.#signal }));
  }

  /** Deletes what it was shown and nothing else; that it is gone already is as good. */
  async delete({ metadata }: Stored<T>, options: DeleteOptions = {}): Promise<void> {
    const preconditions = { uid: metadata.uid, ...options.preconditions };
    const going = await this.#client
      .delete(this.#resource, metadata, { ...options, preconditions, signal: this.#signal })
      .catch(unlessGone);
    if (going) await this.#seen(going);
    // One that winds up, such as a pod with its grace period, stays for a while. One that went at once may have been returned with
    // the version that it had before.
    if (going && this.#cache.get(metadata)?.metadata.deletionTimestamp) return;
    await this.#cache.waitUntilGone(metadata, metadata.uid, this.#signal);
  }

  async #seen(written: Stored<T>): Promise<Stored<T>> {
    await this.#cache.waitUntilSeen(written.metadata, written.metadata.resourceVersion, this.#signal);
    return written;
  }
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, "not-found")) throw error;
}
