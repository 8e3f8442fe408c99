import type { GetOptions, ObjectStore, PutOptions, StoredObject } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";

const CHUNK_BYTES = 64 * 1024;

/** For tests of code that uses stores: objects in memory, and failures when the test wants them. */
export class MemoryStore implements ObjectStore {
  readonly description = "memory bucket 'backups'";
  readonly objects = new Map<string, Uint8Array>();
  /** Every call, as in "get backup". */
  readonly calls: string[] = [];
  /** Asked before every call and every piece that is read; throws what the call is to fail with. */
  beforeCall: (call: string) => Promise<void> | void = () => undefined;

  async put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    await this.#called("put", key, options.signal);
    const chunks: Uint8Array[] = [];
    let sentBytes = 0;
    for await (const chunk of source) {
      options.signal?.throwIfAborted();
      chunks.push(Uint8Array.from(chunk));
      sentBytes += chunk.length;
      options.onProgress?.(sentBytes);
    }
    this.objects.set(key, Buffer.concat(chunks));
    return objectOf(key, sentBytes);
  }

  async *get(key: string, { offset = 0, length, signal }: GetOptions = {}): AsyncGenerator<Uint8Array> {
    await this.#called("get", key, signal);
    const object = this.objects.get(key);
    if (!object) throw new ObjectStoreError("not-found", { operation: `get '${key}'`, message: "it is not there" });
    const wanted = object.subarray(offset, length === undefined ? undefined : offset + length);
    for (let at = 0; at < wanted.length; at += CHUNK_BYTES) {
      await this.#called("piece of", key, signal);
      yield wanted.subarray(at, at + CHUNK_BYTES);
    }
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    await this.#called("list", prefix);
    for (const [key, { length }] of this.objects) if (key.startsWith(prefix)) yield objectOf(key, length);
  }

  async delete(key: string): Promise<void> {
    await this.#called("delete", key);
    this.objects.delete(key);
  }

  async stat(key: string): Promise<StoredObject | undefined> {
    await this.#called("stat", key);
    const object = this.objects.get(key);
    return object && objectOf(key, object.length);
  }

  async close(): Promise<void> {
    this.calls.push("close");
  }

  async #called(what: string, key: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const call = `${what} ${key}`;
    if (what !== "piece of") this.calls.push(call);
    await this.beforeCall(call);
    signal?.throwIfAborted();
  }
}

function objectOf(key: string, sizeBytes: number): StoredObject {
  return { key, sizeBytes, modifiedAtMs: 0 };
}
