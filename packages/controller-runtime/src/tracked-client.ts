import type {
  DeleteOptions,
  KubeClient,
  KubeObject,
  ObjectRef,
  Patch,
  Resource,
  Stored,
  WriteOptions,
} from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { WriteLog } from "./own-writes.ts";

type Writer = Pick<KubeClient, "create" | "update" | "updateStatus" | "patch" | "patchStatus" | "delete">;

/** The client's writes, each noted in a pass's log, so that none is forgotten and the key waits for all of them. */
export class TrackedClient {
  readonly #client: Writer;
  readonly #log: WriteLog;

  constructor(client: Writer, log: WriteLog) {
    this.#client = client;
    this.#log = log;
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<Stored<T>> {
    return this.#noted(resource, this.#client.create(resource, object, options));
  }

  async update<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions): Promise<Stored<T>> {
    return this.#noted(resource, this.#client.update(resource, object, options));
  }

  async updateStatus<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions,
  ): Promise<Stored<T>> {
    return this.#noted(resource, this.#client.updateStatus(resource, object, options));
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions & { readonly subresource?: string },
  ): Promise<Stored<T>> {
    return this.#noted(resource, this.#client.patch(resource, ref, patch, options));
  }

  async patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>> {
    return this.#noted(resource, this.#client.patchStatus(resource, ref, patch, options));
  }

  /** Deletes what it was shown and nothing else: the UID is always a precondition. */
  async delete<T extends KubeObject>(
    resource: Resource<T>,
    { metadata }: Stored<T>,
    options: DeleteOptions = {},
  ): Promise<Stored<T> | undefined> {
    const preconditions = { uid: metadata.uid, ...options.preconditions };
    const returned = await this.#watched(this.#client.delete(resource, metadata, { ...options, preconditions }));
    this.#log.deleted(resource, metadata, returned);
    return returned;
  }

  async #noted<T extends KubeObject>(resource: Resource<T>, write: Promise<Stored<T>>): Promise<Stored<T>> {
    const written = await this.#watched(write);
    this.#log.wrote(resource, written);
    return written;
  }

  async #watched<Answer>(write: Promise<Answer>): Promise<Answer> {
    try {
      return await write;
    } catch (error) {
      if (hasCode(error, "timeout", "unavailable", "canceled", "unknown")) this.#log.leftOpen();
      throw error;
    }
  }
}
