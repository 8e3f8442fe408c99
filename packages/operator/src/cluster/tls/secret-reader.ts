import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, type ObjectRef, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";

const READ_TIMEOUT_MS = 5_000;

/** Reads Secrets by name. Concurrent reads of the same one share one request; results are not kept. */
export class SecretReader {
  readonly #client: Pick<KubeClient, "get">;
  readonly #underWay = new Map<string, Promise<Stored<Secret>>>();

  constructor(client: Pick<KubeClient, "get">) {
    this.#client = client;
  }

  async read(ref: ObjectRef, signal: AbortSignal): Promise<Stored<Secret>> {
    const shared = this.#underWay.get(keyOf(ref));
    if (!shared) return this.#begin(ref, signal);
    try {
      return await shared;
    } catch (error) {
      signal.throwIfAborted();
      if (!hasCode(error, "canceled")) throw error;
      // Another caller has cancelled, which says nothing about the Secret.
      return this.read(ref, signal);
    }
  }

  #begin(ref: ObjectRef, signal: AbortSignal): Promise<Stored<Secret>> {
    const key = keyOf(ref);
    const reading = this.#client
      .get(resources.secrets, ref, { signal, timeoutMs: READ_TIMEOUT_MS })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, reading);
    return reading;
  }
}
