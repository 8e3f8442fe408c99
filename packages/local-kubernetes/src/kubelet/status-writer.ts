import { isDeepStrictEqual } from "node:util";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, hasCode, isAtLeast, pause, resources } from "@etcd-operator/kubernetes-client";
import type { Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";

export interface StatusWriterOptions {
  readonly client: Pick<KubeClient, "get" | "updateStatus">;
  readonly clock: Clock;
  /** The status that a pod should have, given what others wrote into it. */
  readonly compute: (pod: Stored<Pod>) => PodStatus;
  readonly onError: (error: unknown) => void;
}

const retryMs = 500;

/**
 * Keeps a pod's status in the API as it should be. Requests that come while one is being written become one more: only
 * the latest state counts. The status is computed again for whatever object it is written to, so that others' parts of
 * it are never overwritten.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #pod: Stored<Pod>;
  #isWanted = false;
  #isGone = false;
  #writing: Promise<void> | undefined;

  constructor(pod: Stored<Pod>, options: StatusWriterOptions) {
    this.#pod = pod;
    this.#options = options;
  }

  /** Tells of a newer state of the object. */
  see(pod: Stored<Pod>): void {
    if (isAtLeast(pod.metadata.resourceVersion, this.#pod.metadata.resourceVersion)) this.#pod = pod;
  }

  request(signal: AbortSignal): void {
    this.#isWanted = true;
    if (this.#isGone || signal.aborted) return;
    this.#writing ??= this.#writeAll(signal);
  }

  /** Resolves when everything requested is written, or cannot be any more. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(signal: AbortSignal): Promise<void> {
    try {
      while (this.#isWanted && !this.#isGone && !signal.aborted) {
        this.#isWanted = false;
        await this.#write(signal).catch((error: unknown) => this.#recover(error, signal));
      }
    } finally {
      // Here and not in a callback: a request that comes before the callback would be neither written nor remembered.
      this.#writing = undefined;
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const pod = this.#pod;
    const status = this.#options.compute(pod);
    if (isDeepStrictEqual(status, pod.status)) return;
    this.see(await this.#options.client.updateStatus(resources.pods, { ...pod, status }, { signal }));
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { client, clock, onError } = this.#options;
    this.#isWanted = true;
    if (hasCode(error, "not-found")) {
      this.#isGone = true;
    } else if (hasCode(error, "conflict")) {
      const { namespace, name, uid } = this.#pod.metadata;
      const fresh = await client.get(resources.pods, { namespace, name }, { signal }).catch(() => undefined);
      if (fresh?.metadata.uid === uid) this.#pod = fresh;
      else if (fresh) this.#isGone = true;
      else await pause(clock, retryMs, signal);
    } else {
      onError(error);
      await pause(clock, retryMs, signal);
    }
  }
}
