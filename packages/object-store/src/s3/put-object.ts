import { PutObjectCommand } from "@aws-sdk/client-s3";
import type { PutOptions } from "../object-store.ts";
import { onAbort } from "../on-abort.ts";
import { type Part, PartReader } from "../part-reader.ts";
import { MultipartUpload } from "./multipart-upload.ts";
import { partPlan } from "./part-size.ts";
import type { S3Requests } from "./s3-requests.ts";

export interface PutObjectOptions extends PutOptions {
  readonly leastPartBytes: number | undefined;
}

/** Stores what the source yields, in parts when there is more than one, and returns how many bytes that was. */
export async function putObject(
  requests: S3Requests,
  key: string,
  source: AsyncIterable<Uint8Array>,
  { leastPartBytes, expectedBytes, signal, onProgress }: PutObjectOptions,
): Promise<number> {
  const operation = requests.operation("put", key);
  const { partBytes, parallel } = partPlan(expectedBytes, leastPartBytes);
  const stop = new AbortController();
  const unlink = onAbort(signal, () => stop.abort());
  const reader = new PartReader(source, {
    operation,
    partBytes: () => partBytes,
    signal: stop.signal,
    ...(onProgress && { onProgress }),
  });
  try {
    const first = await reader.next();
    if (!first) return 0;
    if (first.isLast) return await putWhole(requests, key, first.bytes, signal);
    const upload = await MultipartUpload.begin(requests, key, signal);
    try {
      const sentBytes = await sendParts(upload, first, reader, { parallel, stop });
      await upload.complete(signal);
      return sentBytes;
    } catch (error) {
      await upload.giveUp();
      throw error;
    }
  } finally {
    unlink();
    await reader.close();
  }
}

async function putWhole(requests: S3Requests, key: string, bytes: Buffer, signal?: AbortSignal): Promise<number> {
  const input = { Bucket: requests.bucket, Key: key, Body: bytes };
  await requests.send(
    requests.operation("put", key),
    (client, options) => client.send(new PutObjectCommand(input), options),
    {
      signal,
      graceMs: Number.POSITIVE_INFINITY,
    },
  );
  return bytes.length;
}

/** Sends several at a time. The first failure stops reading and sending; all has come to rest when this returns. */
async function sendParts(
  upload: MultipartUpload,
  first: Part,
  reader: PartReader,
  { parallel, stop }: { readonly parallel: number; readonly stop: AbortController },
): Promise<number> {
  const underway = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  let sentBytes = 0;
  const fail = (error: unknown) => {
    failure ??= { error };
    stop.abort();
  };
  const send = (part: Part) => {
    const sending = upload
      .send(part, stop.signal)
      .then(() => reader.release(part), fail)
      .finally(() => underway.delete(sending));
    underway.add(sending);
    sentBytes += part.bytes.length;
  };
  try {
    for (let part: Part | undefined = first; part; part = await reader.next()) {
      send(part);
      if (underway.size >= parallel) await Promise.race(underway);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(underway);
  if (failure) throw failure.error;
  return sentBytes;
}
