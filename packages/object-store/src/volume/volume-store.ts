import { listed } from "../listing.ts";
import type { CallOptions, GetOptions, ObjectStore, PutOptions, StoredObject } from "../object-store.ts";
import { type OpenedBody, type OpenRange, resumedGet } from "../resumed-get.ts";
import type { StoreTuning, VolumeSettings } from "../store-settings.ts";
import { sendBlocks } from "./send-blocks.ts";
import { WorkerClient, workerFailure } from "./worker-client.ts";

interface Page {
  readonly objects: readonly StoredObject[];
  readonly next?: string;
}

/** A volume, by way of a worker that has it mounted. */
export function volumeStore(settings: VolumeSettings, tuning: StoreTuning): ObjectStore {
  return new VolumeStore(settings.claimName, new WorkerClient(settings, tuning));
}

class VolumeStore implements ObjectStore {
  readonly description: string;
  readonly #claimName: string;
  readonly #client: WorkerClient;

  constructor(claimName: string, client: WorkerClient) {
    this.description = `volume '${claimName}'`;
    this.#claimName = claimName;
    this.#client = client;
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    return sendBlocks(this.#client, source, { ...options, operation: this.#named("put", key), finish: { key } });
  }

  get(key: string, options: GetOptions = {}): AsyncIterable<Uint8Array> {
    const operation = this.#named("get", key);
    const open = (range: OpenRange) => this.#open(operation, key, range);
    return resumedGet({ operation, open }, options, this.#client.tuning);
  }

  list(prefix: string, { signal }: CallOptions = {}): AsyncGenerator<StoredObject> {
    const operation = this.#named("list", prefix);
    return listed(operation, prefix, async (after) => {
      const call = { operation, method: "GET", path: "/objects", query: { prefix, after } } as const;
      const { objects, next } = await this.#client.ask<Page>(call, signal);
      return { objects, next };
    });
  }

  async delete(key: string, { signal }: CallOptions = {}): Promise<void> {
    const operation = this.#named("delete", key);
    await this.#client.ask({ operation, method: "DELETE", path: "/object", query: { key } }, signal);
  }

  async stat(key: string, { signal }: CallOptions = {}): Promise<StoredObject | undefined> {
    const call = { operation: this.#named("stat", key), method: "GET", path: "/stat", query: { key } } as const;
    return (await this.#client.ask<{ object?: StoredObject }>(call, signal)).object;
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #open(operation: string, key: string, range: OpenRange): Promise<OpenedBody> {
    const { offset, length, version, signal } = range;
    const headers = version === undefined ? {} : { "if-match": version };
    const call = { operation, method: "GET", path: "/object", query: { key, offset, length }, headers } as const;
    try {
      const response = await this.#client.begin(call, { signal });
      const { "content-length": sizeBytes, etag = "" } = response.headers;
      return { body: response, sizeBytes: Number(sizeBytes), version: etag };
    } catch (error) {
      throw workerFailure(operation, error);
    }
  }

  #named(operation: string, key: string): string {
    return `${operation} volume '${this.#claimName}/${key}'`;
  }
}
