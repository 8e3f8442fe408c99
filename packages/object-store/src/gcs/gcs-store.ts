import { refusalText, wholeText } from "../bounded-body.ts";
import { checkedKey } from "../checked-key.ts";
import { type GuardedCall, guardedCall } from "../guarded-call.ts";
import { listed } from "../listing.ts";
import type { CallOptions, GetOptions, ObjectStore, PutOptions, StoredObject } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import { type Redact, redactor } from "../redacted.ts";
import { type OpenedBody, type OpenRange, resumedGet } from "../resumed-get.ts";
import type { GcsSettings, StoreTuning } from "../store-settings.ts";
import { AccessTokens } from "./access-tokens.ts";
import { emulatorUrl } from "./emulator-url.ts";
import { GcsClient, type ObjectResource } from "./gcs-client.ts";
import { gcsError } from "./gcs-error.ts";
import { GoogleHttp } from "./google-http.ts";
import { resumableUpload } from "./resumable-upload.ts";
import { type Environment, tokenSource } from "./token-source.ts";

const PAGE_SIZE = 1_000;

/** A bucket of Google Cloud Storage. */
export function gcsStore(settings: GcsSettings, tuning: StoreTuning, env: Environment = process.env): ObjectStore {
  const { bucket } = settings;
  const redact = redactor(secretsIn(settings));
  const http = new GoogleHttp(settings.endpoint ?? emulatorUrl(env));
  try {
    const client = new GcsClient(bucket, http, new AccessTokens(tokenSource(settings, http, env)));
    return new GcsStore(client, redact, tuning);
  } catch (error) {
    throw gcsError(error, { operation: `open gcs '${bucket}'`, bucket, identity: "unknown", redact });
  }
}

/** What in the Secret proves who we are. */
function secretsIn({ accessToken, credentialsJson = "" }: GcsSettings): (string | undefined)[] {
  const field = /"(?:private_key|private_key_id|client_secret|refresh_token)"\s*:\s*"([^"]*)"/g;
  return [accessToken?.trim(), ...[...credentialsJson.matchAll(field)].map(([, value]) => value)];
}

class GcsStore implements ObjectStore {
  readonly description: string;
  readonly #client: GcsClient;
  readonly #redact: Redact;
  readonly #tuning: StoreTuning;

  constructor(client: GcsClient, redact: Redact, tuning: StoreTuning) {
    this.description = `GCS bucket '${client.bucket}'`;
    this.#client = client;
    this.#redact = redact;
    this.#tuning = tuning;
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    const call = this.#call("put", key, options);
    return stored(await resumableUpload(this.#client, checkedKey(key, call.operation), source, options, call));
  }

  get(key: string, options: GetOptions = {}): AsyncIterable<Uint8Array> {
    const call = this.#call("get", key, options);
    return resumedGet(
      { operation: call.operation, open: (range) => this.#open(key, range, call) },
      options,
      this.#tuning,
    );
  }

  list(prefix: string, options: CallOptions = {}): AsyncGenerator<StoredObject> {
    const call = this.#call("list", prefix, options);
    return listed(call.operation, prefix, async (token) => {
      const page = await guardedCall(call, ({ signal }) => this.#page(prefix, token, signal));
      return { objects: (page.items ?? []).map(stored), next: page.nextPageToken };
    });
  }

  async delete(key: string, options: CallOptions = {}): Promise<void> {
    const call = this.#call("delete", key, options);
    const path = this.#client.objectsPath(checkedKey(key, call.operation));
    const request = guardedCall(call, async ({ signal }) => {
      const { body } = await this.#client.send({ method: "DELETE", path, signal }, [200, 204]);
      await wholeText(body);
    });
    await request.catch(unlessNotFound);
  }

  async stat(key: string, options: CallOptions = {}): Promise<StoredObject | undefined> {
    const call = this.#call("stat", key, options);
    const path = this.#client.objectsPath(checkedKey(key, call.operation));
    const request = guardedCall(call, async ({ signal }) => {
      const { body } = await this.#client.send({ method: "GET", path, signal }, [200]);
      return stored(JSON.parse(await wholeText(body)) as ObjectResource);
    });
    return await request.catch(unlessNotFound);
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  async #open(
    key: string,
    { offset, length, version, signal }: OpenRange,
    call: GuardedCall,
  ): Promise<OpenedBody | undefined> {
    const path = this.#client.objectsPath(checkedKey(key, call.operation));
    const range = offset === 0 && length === undefined ? {} : { range: rangeHeader(offset, length) };
    // Objects that lie there compressed come as they lie there.
    const headers = { ...range, "accept-encoding": "gzip" };
    const query = { alt: "media", ifGenerationMatch: version };
    try {
      const {
        status,
        headers: said,
        body,
      } = await this.#client.send({ method: "GET", path, query, headers, signal }, [200, 206, 416]);
      if (status === 416) return void (await refusalText(body));
      if (status === 200 && offset > 0) throw wholeInstead(call);
      return { body, sizeBytes: Number(said["content-length"]), version: String(said["x-goog-generation"]) };
    } catch (error) {
      throw call.failure(error);
    }
  }

  async #page(prefix: string, pageToken: string | undefined, signal: AbortSignal) {
    const fields = "items(name,size,updated),nextPageToken";
    const query = { prefix, maxResults: String(PAGE_SIZE), pageToken, fields };
    const { body } = await this.#client.send({ method: "GET", path: this.#client.objectsPath(), query, signal }, [200]);
    return JSON.parse(await wholeText(body)) as { items?: ObjectResource[]; nextPageToken?: string };
  }

  #call(verb: string, key: string, { signal }: CallOptions): GuardedCall {
    const { bucket, identity } = this.#client;
    const operation = `${verb} gcs '${bucket}/${key}'`;
    const failure = (error: unknown) => gcsError(error, { operation, bucket, identity, redact: this.#redact });
    return { operation, signal, tuning: this.#tuning, failure };
  }
}

function stored({ name, size, updated }: ObjectResource): StoredObject {
  return { key: name, sizeBytes: Number(size), modifiedAtMs: Date.parse(updated) };
}

function rangeHeader(offset: number, length: number | undefined): string {
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`;
}

function wholeInstead({ operation }: GuardedCall): ObjectStoreError {
  return new ObjectStoreError("corrupt", { operation, message: "Google gave the whole object for a part of it" });
}

function unlessNotFound(error: unknown): undefined {
  if (error instanceof ObjectStoreError && error.code === "not-found") return undefined;
  throw error;
}
