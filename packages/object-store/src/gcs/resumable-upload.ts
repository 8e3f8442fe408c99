import type { GuardedCall } from "../guarded-call.ts";
import type { PutOptions } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import { onAbort } from "../on-abort.ts";
import { type Part, PartReader } from "../part-reader.ts";
import type { GcsClient, ObjectResource } from "./gcs-client.ts";
import { UploadSession } from "./upload-session.ts";

// Google takes multiples of 256 KiB only. Each part costs a round trip in which nothing is sent, and is in memory
// twice: one is sent while the next is read.
const GRANULE_BYTES = 262_144;
const PART_BYTES = 16 * 2 ** 20;

/** Uploads part by part. A failure calls the upload off, so that nothing is left of it. */
export async function resumableUpload(
  client: GcsClient,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
  call: GuardedCall,
): Promise<ObjectResource> {
  const stop = new AbortController();
  const unlink = onAbort(options.signal, () => stop.abort());
  const size = Math.ceil((call.tuning.partBytes ?? PART_BYTES) / GRANULE_BYTES) * GRANULE_BYTES;
  const { operation } = call;
  const reader = new PartReader(source, { ...options, signal: stop.signal, operation, partBytes: () => size });
  let session: UploadSession | undefined;
  try {
    const first = readAhead(reader);
    session = await UploadSession.begin(client, key, call);
    return await sendAll(session, reader, first, call);
  } catch (error) {
    stop.abort();
    const object = await session?.cancel();
    if (object) return object;
    throw error;
  } finally {
    unlink();
    await reader.close();
  }
}

async function sendAll(
  session: UploadSession,
  reader: PartReader,
  first: Promise<Part | undefined>,
  { operation }: GuardedCall,
): Promise<ObjectResource> {
  let next = first;
  for (let part = await next; part; part = await next) {
    next = readAhead(reader);
    const object = await session.send(part);
    if (object) return object;
    reader.release(part);
  }
  throw new ObjectStoreError("corrupt", { operation, message: "the upload ended without an object; begin again" });
}

/** Its failure is met when it is waited for, which may be never. */
function readAhead(reader: PartReader): Promise<Part | undefined> {
  const reading = reader.next();
  reading.catch(() => undefined);
  return reading;
}
