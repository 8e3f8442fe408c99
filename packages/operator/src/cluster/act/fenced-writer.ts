import type { Fence, TrackedClient } from "@etcd-operator/controller-runtime";
import type { DeleteOptions, KubeObject, ObjectRef, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, hasCode, pause } from "@etcd-operator/kubernetes-client";
import type { ObjectId } from "../model/action.ts";

/** What a patch leaves as it is, changes, and with null removes. */
type Changes = Readonly<Record<string, unknown>> & { readonly metadata?: Readonly<Record<string, unknown>> };

export interface FencedWriterOptions {
  readonly writer: TrackedClient;
  readonly fence: Fence;
  readonly namespace: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** No reconcile waits longer than this for an API server that is busy. */
const LONGEST_WAIT_MS = 2_000;

/** All writes to the API server that actions make: each asks the fence first. */
export class FencedWriter {
  readonly #writer: TrackedClient;
  readonly #fence: Fence;
  readonly #namespace: string;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;

  constructor({ writer, fence, namespace, clock, signal }: FencedWriterOptions) {
    this.#writer = writer;
    this.#fence = fence;
    this.#namespace = namespace;
    this.#clock = clock;
    this.#signal = signal;
  }

  /**
   * When a busy API server rejects a creation for a moment it is retried after that moment, in the same reconcile:
   * otherwise the initial members of a cluster that another operator bootstrapped meanwhile could not be distinguished
   * from lost members.
   */
  async create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>> {
    try {
      return await this.#create(resource, object);
    } catch (error) {
      const waitMs = hasCode(error, "too-many-requests") ? error.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > LONGEST_WAIT_MS) throw error;
      await pause(this.#clock, waitMs, this.#signal);
      return this.#create(resource, object);
    }
  }

  /** A merge patch that applies to this very object in this very version, or not at all. */
  async patch<T extends KubeObject>(resource: Resource<T>, to: ObjectId, changes: Changes): Promise<Stored<T>> {
    this.#fence(`changing ${resource.kind} ${to.name}`);
    const { uid, resourceVersion } = to;
    const merge = { ...changes, metadata: { ...changes.metadata, uid, resourceVersion } };
    return this.#writer.patch(resource, this.#ref(to), { merge }, { signal: this.#signal });
  }

  /** The same, for lists whose entries have names: those that are not named stay as they are. */
  async patchStrategic<T extends KubeObject>(
    resource: Resource<T>,
    to: ObjectId,
    changes: Changes,
  ): Promise<Stored<T>> {
    this.#fence(`changing ${resource.kind} ${to.name}`);
    const { uid, resourceVersion } = to;
    const strategic = { ...changes, metadata: { ...changes.metadata, uid, resourceVersion } };
    return this.#writer.patch(resource, this.#ref(to), { strategic }, { signal: this.#signal });
  }

  /** Notes something on this very object, whatever its version: the kubelet writes to pods all the time. */
  async annotate<T extends KubeObject>(
    resource: Resource<T>,
    to: ObjectId,
    annotations: Readonly<Record<string, string>>,
  ): Promise<Stored<T>> {
    this.#fence(`annotating ${resource.kind} ${to.name}`);
    const merge = { metadata: { uid: to.uid, annotations } };
    return this.#writer.patch(resource, this.#ref(to), { merge }, { signal: this.#signal });
  }

  /** To this very object, whatever its version, for the same reason. */
  async patchStatus<T extends KubeObject>(resource: Resource<T>, to: ObjectId, status: object): Promise<Stored<T>> {
    this.#fence(`changing the status of ${resource.kind} ${to.name}`);
    const strategic = { metadata: { uid: to.uid }, status };
    return this.#writer.patchStatus(resource, this.#ref(to), { strategic }, { signal: this.#signal });
  }

  /** Deletes this very object in this very version, or nothing; that it is gone already is as good. */
  async delete<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Promise<void> {
    const { uid, resourceVersion } = object.metadata;
    await this.#delete(resource, object, { uid, resourceVersion });
  }

  /** Deletes this very object, whatever has been written to it since it was read. */
  async deleteChanged<T extends KubeObject>(resource: Resource<T>, object: Stored<T>): Promise<void> {
    await this.#delete(resource, object, { uid: object.metadata.uid });
  }

  async #delete<T extends KubeObject>(
    resource: Resource<T>,
    object: Stored<T>,
    preconditions: DeleteOptions["preconditions"],
  ): Promise<void> {
    this.#fence(`deleting ${resource.kind} ${object.metadata.name}`);
    try {
      await this.#writer.delete(resource, object, { preconditions, signal: this.#signal });
    } catch (error) {
      if (!hasCode(error, "not-found")) throw error;
    }
  }

  async #create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>> {
    this.#fence(`creating ${resource.kind} ${object.metadata?.name}`);
    return this.#writer.create(resource, object, { signal: this.#signal });
  }

  #ref({ name }: ObjectId): ObjectRef {
    return { namespace: this.#namespace, name };
  }
}
