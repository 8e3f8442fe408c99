import { Agent as PlainAgent } from "node:http";
import { Agent } from "node:https";
import {
  type BlobItem,
  type BlockBlobClient,
  type ContainerClient,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { checkedKey } from "../checked-key.ts";
import { type GuardedCall, guardedCall } from "../guarded-call.ts";
import { listed } from "../listing.ts";
import type { CallOptions, GetOptions, ObjectStore, PutOptions, StoredObject } from "../object-store.ts";
import { proxyFor } from "../proxy-for.ts";
import { redactor } from "../redacted.ts";
import { type OpenedBody, type OpenRange, resumedGet } from "../resumed-get.ts";
import type { AbsSettings, StoreTuning } from "../store-settings.ts";
import { type AbsPlace, absError, statusOf } from "./abs-error.ts";
import { accountOf, blobEndpoint } from "./blob-endpoint.ts";
import { BoundedContainer } from "./bounded-container.ts";
import { stagedUpload } from "./staged-upload.ts";

const PAGE_SIZE = 1_000;

/** A container of Azure Blob Storage. */
export function absStore(settings: AbsSettings, tuning: StoreTuning): ObjectStore {
  const { account, accountKey } = accountOf(settings);
  const url = `${blobEndpoint({ account, cloud: settings.cloud })}/${encodeURIComponent(settings.container)}`;
  const client = new BoundedContainer(url, new StorageSharedKeyCredential(account, accountKey), {
    // Ours can be called off, and notice silence.
    retryOptions: { maxTries: 1 },
    userAgentOptions: { userAgentPrefix: "etcd-operator" },
    ...agentFor(new URL(url), settings),
  });
  return new AbsStore(client, { account, container: settings.container, redact: redactor([accountKey]) }, tuning);
}

/**
 * Without one of its own the library takes what the environment says of proxies, which find the addresses themselves.
 */
function agentFor({ protocol, hostname, port }: URL, { lookup }: AbsSettings): { agent?: PlainAgent | Agent } {
  const isSecure = protocol === "https:";
  const isProxied = isSecure && proxyFor(hostname, Number(port || 443), process.env) !== undefined;
  if (!lookup || isProxied) return {};
  const options = { keepAlive: true, lookup };
  return { agent: isSecure ? new Agent(options) : new PlainAgent(options) };
}

class AbsStore implements ObjectStore {
  readonly description: string;
  readonly #client: ContainerClient;
  readonly #place: Omit<AbsPlace, "operation">;
  readonly #tuning: StoreTuning;

  constructor(client: ContainerClient, place: Omit<AbsPlace, "operation">, tuning: StoreTuning) {
    this.description = `Azure container '${place.container}' of account '${place.account}'`;
    this.#client = client;
    this.#place = place;
    this.#tuning = tuning;
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    const call = this.#call("put", key, options);
    return { key, ...(await stagedUpload(this.#blob(key, call), source, options, call)) };
  }

  get(key: string, options: GetOptions = {}): AsyncIterable<Uint8Array> {
    const call = this.#call("get", key, options);
    const open = async (range: OpenRange) => {
      try {
        return await download(this.#blob(key, call), range);
      } catch (error) {
        if (statusOf(error) === 416) return undefined;
        throw call.failure(error);
      }
    };
    return resumedGet({ operation: call.operation, open }, options, this.#tuning);
  }

  list(prefix: string, options: CallOptions = {}): AsyncGenerator<StoredObject> {
    const call = this.#call("list", prefix, options);
    return listed(call.operation, prefix, async (token) => {
      const page = await guardedCall(call, ({ signal }) => this.#page(prefix, token, signal));
      const objects = page.segment.blobItems.map(({ name, properties }: BlobItem) => ({
        key: name,
        sizeBytes: properties.contentLength ?? 0,
        modifiedAtMs: properties.lastModified.getTime(),
      }));
      return { objects, next: page.continuationToken || undefined };
    });
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    const call = this.#call("delete", key, options);
    const blob = this.#blob(key, call);
    await guardedCall(call, ({ signal }) => blob.deleteIfExists({ abortSignal: signal }));
  }

  async stat(key: string, options: CallOptions = {}): Promise<StoredObject | undefined> {
    const call = this.#call("stat", key, options);
    const blob = this.#blob(key, call);
    return await guardedCall(call, async ({ signal }) => {
      try {
        const { contentLength = 0, lastModified } = await blob.getProperties({ abortSignal: signal });
        return { key, sizeBytes: contentLength, modifiedAtMs: lastModified?.getTime() ?? 0 };
      } catch (error) {
        if (call.failure(error).code === "not-found") return undefined;
        throw error;
      }
    });
  }

  async close(): Promise<void> {
    // The library's connections are those of the process, which drops what is idle.
  }

  async #page(prefix: string, continuationToken: string | undefined, abortSignal: AbortSignal) {
    const pages = this.#client
      .listBlobsFlat({ prefix, abortSignal })
      .byPage({ maxPageSize: PAGE_SIZE, ...(continuationToken ? { continuationToken } : {}) });
    const { value } = await pages.next();
    return value;
  }

  #blob(key: string, { operation }: GuardedCall): BlockBlobClient {
    return this.#client.getBlockBlobClient(checkedKey(key, operation));
  }

  #call(verb: string, key: string, { signal }: CallOptions): GuardedCall {
    const operation = `${verb} abs '${this.#place.container}/${key}'`;
    const place = { ...this.#place, operation };
    return { operation, signal, tuning: this.#tuning, failure: (error) => absError(error, place) };
  }
}

async function download(blob: BlockBlobClient, { offset, length, version, signal }: OpenRange): Promise<OpenedBody> {
  const answer = await blob.download(offset, length, {
    abortSignal: signal,
    maxRetryRequests: 0,
    ...(version ? { conditions: { ifMatch: version } } : {}),
  });
  const body = answer.readableStreamBody as unknown as AsyncIterable<Uint8Array>;
  return { body, sizeBytes: answer.contentLength ?? Number.NaN, version: answer.etag ?? "" };
}
