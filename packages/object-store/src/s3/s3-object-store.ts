import type { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { listed } from "../listing.ts";
import type { CallOptions, GetOptions, ObjectStore, PutOptions, StoredObject } from "../object-store.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../object-store-error.ts";
import { type OpenedBody, type OpenRange, resumedGet } from "../resumed-get.ts";
import type { StoreTuning } from "../store-settings.ts";
import { putObject } from "./put-object.ts";
import type { S3Connection } from "./s3-connection.ts";
import { s3ErrorStatus } from "./s3-error.ts";
import { S3Requests } from "./s3-requests.ts";

/** A bucket of a server that speaks S3. */
export class S3ObjectStore implements ObjectStore {
  readonly description: string;
  readonly #requests: S3Requests;
  readonly #tuning: StoreTuning;

  constructor(connection: S3Connection, tuning: StoreTuning) {
    const { kind, bucket, endpoint } = connection;
    this.description = `${kind.toUpperCase()} bucket '${bucket}'${endpoint ? ` at ${endpoint.host}` : ""}`;
    this.#requests = new S3Requests(connection, tuning);
    this.#tuning = tuning;
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<StoredObject> {
    const sentBytes = await putObject(this.#requests, key, source, {
      ...options,
      leastPartBytes: this.#tuning.partBytes,
    });
    const stored = await this.stat(key);
    if (stored?.sizeBytes === sentBytes) return stored;
    const operation = this.#requests.operation("put", key);
    const message = `${sentBytes} bytes were sent, and the server now has ${stored ? stored.sizeBytes : "no such object"}`;
    throw new ObjectStoreError("corrupt", { operation, message });
  }

  get(key: string, options: GetOptions = {}): AsyncIterable<Uint8Array> {
    const operation = this.#requests.operation("get", key);
    return resumedGet({ operation, open: (range) => this.#open(operation, key, range) }, options, this.#tuning);
  }

  list(prefix: string, { signal }: CallOptions = {}): AsyncGenerator<StoredObject> {
    const operation = this.#requests.operation("list", prefix);
    return listed(operation, prefix, async (place) => {
      const input = { Bucket: this.#requests.bucket, Prefix: prefix, ContinuationToken: place };
      const page = await this.#requests.send(
        operation,
        (client, options) => client.send(new ListObjectsV2Command(input), options),
        { signal },
      );
      const objects = (page.Contents ?? []).map(({ Key = "", Size, LastModified }) => {
        return storedObject(Key, Size, LastModified);
      });
      return { objects, next: page.IsTruncated ? page.NextContinuationToken : undefined };
    });
  }

  async delete(key: string, { signal }: CallOptions = {}): Promise<void> {
    const input = { Bucket: this.#requests.bucket, Key: key };
    await this.#requests
      .send(
        this.#requests.operation("delete", key),
        (client, options) => client.send(new DeleteObjectCommand(input), options),
        { signal },
      )
      .catch(unlessNotFound);
  }

  async stat(key: string, { signal }: CallOptions = {}): Promise<StoredObject | undefined> {
    const operation = this.#requests.operation("stat", key);
    const input = { Bucket: this.#requests.bucket, Key: key };
    const found = await this.#requests
      .send(operation, (client, options) => client.send(new HeadObjectCommand(input), options), { signal })
      .catch(unlessNotFound)
      .catch(async (error: unknown) => {
        await this.#explainRefusal(operation, key, error, signal);
        throw error;
      });
    if (found) return storedObject(key, found.ContentLength, found.LastModified);
    await this.#expectBucket(operation, signal);
    return undefined;
  }

  async close(): Promise<void> {
    this.#requests.close();
  }

  async #open(operation: string, key: string, range: OpenRange): Promise<OpenedBody | undefined> {
    const input = {
      Bucket: this.#requests.bucket,
      Key: key,
      Range: rangeHeader(range),
      IfMatch: range.version || undefined,
    };
    // The body goes on after the call has ended, and so must the signal.
    const options = { abortSignal: range.signal };
    const answer = await this.#requests.sendOnce(
      operation,
      (client) => client.send(new GetObjectCommand(input), options).catch(unlessBehindTheEnd),
      range,
    );
    if (!answer) return undefined;
    const { Body, ContentLength, ContentRange, ETag = "" } = answer;
    const isWhole = ContentRange === undefined;
    if (isWhole && range.offset > 0 && ContentLength !== 0) {
      throw new ObjectStoreError("corrupt", {
        operation,
        message: "the server gave the whole object for a part of it",
      });
    }
    return {
      body: Body as unknown as AsyncIterable<Uint8Array>,
      sizeBytes: ContentLength ?? Number.NaN,
      version: ETag,
    };
  }

  /**
   * An answer to HEAD has no body that could say why it is a refusal; one to GET has. Throws when our credentials are
   * refused.
   */
  async #explainRefusal(operation: string, key: string, error: unknown, signal: AbortSignal | undefined) {
    if (!hasCode(error, "access-denied")) return;
    const input = { Bucket: this.#requests.bucket, Key: key, Range: "bytes=0-0" };
    try {
      const { Body } = await this.#requests.sendOnce(
        operation,
        (client, options) => client.send(new GetObjectCommand(input), options),
        { signal },
      );
      // One byte, if that; what it is does not matter.
      (Body as Readable | undefined)?.destroy();
    } catch (why) {
      if (hasCode(why, "bad-credentials")) throw why;
    }
  }

  /** An answer to HEAD has no body that could say what is missing. */
  async #expectBucket(operation: string, signal: AbortSignal | undefined): Promise<void> {
    const input = { Bucket: this.#requests.bucket };
    try {
      await this.#requests.send(operation, (client, options) => client.send(new HeadBucketCommand(input), options), {
        signal,
      });
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
      // A client that may not read the bucket's settings may still use it.
      if (error.code === "access-denied") return;
      if (error.code !== "not-found") throw error;
      const message = "there is no such bucket: create it, or correct its name";
      throw new ObjectStoreError("no-such-bucket", { operation, message });
    }
  }
}

function rangeHeader({ offset, length }: OpenRange): string | undefined {
  if (offset === 0 && length === undefined) return undefined;
  return `bytes=${offset}-${length === undefined ? "" : offset + length - 1}`;
}

function storedObject(key: string, sizeBytes = 0, modifiedAt?: Date): StoredObject {
  return { key, sizeBytes, modifiedAtMs: modifiedAt?.getTime() ?? 0 };
}

function unlessNotFound(error: unknown): undefined {
  if (!hasCode(error, "not-found")) throw error;
}

function hasCode(error: unknown, code: ObjectStoreErrorCode): boolean {
  return error instanceof ObjectStoreError && error.code === code;
}

function unlessBehindTheEnd(error: unknown): undefined {
  if (s3ErrorStatus(error) !== 416) throw error;
}
