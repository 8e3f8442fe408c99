import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { ObjectStoreError } from "../object-store-error.ts";
import type { Part } from "../part-reader.ts";
import { giveUpAbandoned } from "./abandoned-uploads.ts";
import { MOST_PARTS } from "./part-size.ts";
import { isNoSuchUpload } from "./s3-error.ts";
import type { S3Requests } from "./s3-requests.ts";

// A part that was broken off when the server had all of it may appear after the upload was given up, and then it is
// never deleted. So those that are nearly there are waited for; of the others the server has not got enough.
const GRACE_OF_PARTS_MS = 2_000;
const ROUNDS_OF_GIVING_UP = 5;

/**
 * An object that is sent in parts. The SDK's own way (lib-storage) does not fit: it cannot interrupt a part, waits for
 * a source that hangs, and when it is called off says so before it has given the upload up.
 */
export class MultipartUpload {
  readonly #requests: S3Requests;
  readonly #operation: string;
  readonly #input: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined };
  readonly #parts: CompletedPart[] = [];

  private constructor(requests: S3Requests, operation: string, key: string, uploadId: string | undefined) {
    this.#requests = requests;
    this.#operation = operation;
    this.#input = { Bucket: requests.bucket, Key: key, UploadId: uploadId };
  }

  static async begin(requests: S3Requests, key: string, signal: AbortSignal | undefined): Promise<MultipartUpload> {
    const operation = requests.operation("put", key);
    const input = {
      Bucket: requests.bucket,
      Key: key,
      ...(requests.sendsChecksums && { ChecksumAlgorithm: "CRC32" as const }),
    };
    const begun = requests.send(
      operation,
      (client, options) => client.send(new CreateMultipartUploadCommand(input), options),
      // Broken off, it might leave an upload behind whose name is unknown.
      { signal, graceMs: Number.POSITIVE_INFINITY },
    );
    const { UploadId } = await begun.catch(async (error: ObjectStoreError) => {
      if (error.code === "unavailable") await giveUpAbandoned(requests, key, undefined, signal);
      throw error;
    });
    await giveUpAbandoned(requests, key, UploadId, signal);
    return new MultipartUpload(requests, operation, key, UploadId);
  }

  async send({ index, bytes }: Part, signal: AbortSignal): Promise<void> {
    if (index >= MOST_PARTS) {
      const message = `it is larger than ${MOST_PARTS} parts of the size that was expected to do: say how large it is`;
      throw new ObjectStoreError("invalid", { operation: this.#operation, message });
    }
    const part = { PartNumber: index + 1 };
    const { ETag, ChecksumCRC32 } = await this.#requests.send(
      this.#operation,
      (client, options) => client.send(new UploadPartCommand({ ...this.#input, ...part, Body: bytes }), options),
      { signal, graceMs: GRACE_OF_PARTS_MS },
    );
    this.#parts.push({ ...part, ETag, ChecksumCRC32 });
  }

  async complete(signal: AbortSignal | undefined): Promise<void> {
    const Parts = this.#parts.sort((a, b) => (a.PartNumber ?? 0) - (b.PartNumber ?? 0));
    const input = { ...this.#input, MultipartUpload: { Parts } };
    let isFirst = true;
    await this.#requests.send(
      this.#operation,
      async (client, options) => {
        const wasFirst = isFirst;
        isFirst = false;
        await client.send(new CompleteMultipartUploadCommand(input), options).catch((error: unknown) => {
          // The answer to the first was lost: there is no such upload any more because it has become the object.
          if (wasFirst || !isNoSuchUpload(error)) throw error;
        });
      },
      { signal, graceMs: Number.POSITIVE_INFINITY, isSlow: true },
    );
  }

  /** Takes away what was sent. A failure of this would only hide the reason for it. */
  async giveUp(): Promise<void> {
    try {
      for (let round = 0; round < ROUNDS_OF_GIVING_UP; round += 1) {
        await this.#abort();
        if (!(await this.#isThere())) return;
      }
    } catch (error) {
      if (!(error instanceof ObjectStoreError)) throw error;
    }
  }

  async #abort(): Promise<void> {
    await this.#requests.send(this.#operation, (client, options) =>
      client.send(new AbortMultipartUploadCommand(this.#input), options).catch(unlessNoSuchUpload),
    );
  }

  async #isThere(): Promise<boolean> {
    const parts = await this.#requests.send(this.#operation, (client, options) =>
      client.send(new ListPartsCommand({ ...this.#input, MaxParts: 1 }), options).catch(unlessNoSuchUpload),
    );
    return parts !== undefined;
  }
}

function unlessNoSuchUpload(error: unknown): undefined {
  if (!isNoSuchUpload(error)) throw error;
}
