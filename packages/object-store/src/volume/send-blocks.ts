import type { PutOptions } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import { type Part, PartReader } from "../part-reader.ts";
import type { WorkerClient } from "./worker-client.ts";
import { type UploadOptions, WorkerUpload } from "./worker-upload.ts";

export interface Sending extends PutOptions, UploadOptions {}

const BLOCK_BYTES = 4 << 20;
/** More than one, so that the worker does not wait for the next while it answers. */
const MOST_UNDER_WAY = 2;

/**
 * Sends what a source yields, block by block, so that a broken connection costs one block, and returns what the worker
 * made of it. While blocks are on their way the next is filled: memory is that of three.
 */
export async function sendBlocks<Made>(
  client: WorkerClient,
  source: AsyncIterable<Uint8Array>,
  sending: Sending,
): Promise<Made> {
  const { partBytes = BLOCK_BYTES } = client.tuning;
  const reader = new PartReader(source, { ...sending, partBytes: () => partBytes });
  const upload = new WorkerUpload<Made>(client, sending);
  try {
    const first = await reader.next();
    if (!first || first.isLast) return await upload.finishWith(first?.bytes ?? Buffer.alloc(0));
    return await upload.finish(await sendAll(upload, first, reader));
  } catch (error) {
    await reader.close();
    const made = await upload.takeBack();
    // It was called off too late.
    if (made && error instanceof ObjectStoreError && error.code === "aborted") return made;
    throw error;
  }
}

/** Returns how many bytes it were. */
async function sendAll(upload: WorkerUpload<unknown>, first: Part, reader: PartReader): Promise<number> {
  const send = async (part: Part) => {
    await upload.block(part);
    reader.release(part);
  };
  // It begins the upload, and has to be there before the others.
  await send(first);
  const underWay: Promise<unknown>[] = [];
  let sizeBytes = first.bytes.length;
  for (let part = await reader.next(); part; part = await nextOf(reader, underWay)) {
    if (underWay.length === MOST_UNDER_WAY) await underWay.shift();
    underWay.push(send(part));
    sizeBytes = part.offset + part.bytes.length;
  }
  await Promise.all(underWay);
  return sizeBytes;
}

/** The next part, unless one before it failed meanwhile: a source may take for ever. */
async function nextOf(reader: PartReader, underWay: readonly Promise<unknown>[]): Promise<Part | undefined> {
  const never = new Promise<never>(() => undefined);
  return Promise.race([reader.next(), ...underWay.map((block) => block.then(() => never))]);
}
