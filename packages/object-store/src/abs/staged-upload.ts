import { randomBytes } from "node:crypto";
import type { BlockBlobClient } from "@azure/storage-blob";
import { calledOff } from "../attempts.ts";
import { type GuardedCall, guardedCall } from "../guarded-call.ts";
import type { PutOptions } from "../object-store.ts";
import { onAbort } from "../on-abort.ts";
import { type Part, PartReader } from "../part-reader.ts";
import { sentBody } from "../sent-body.ts";
import { Lanes } from "./lanes.ts";

const MIB = 2 ** 20;
const MOST_BLOCKS = 50_000;
const MOST_AT_ONCE = 3;
/** What blocks on their way may take of memory; the one that is being filled comes on top. */
const BUDGET_BYTES = 32 * MIB;

/**
 * Stages blocks, and makes a blob of them at the end. Before that there is nothing to see, and a blob that was there
 * stays as it is. Blocks that are never committed cannot be taken back: they are listed nowhere, and Azure drops them
 * after a week, or with the next commit.
 */
export async function stagedUpload(
  blob: BlockBlobClient,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
  call: GuardedCall,
): Promise<{ readonly sizeBytes: number; readonly modifiedAtMs: number }> {
  const { operation } = call;
  const stop = new AbortController();
  const unlink = onAbort(options.signal, () => stop.abort());
  const partBytes = (index: number) => blockBytes(index, options.expectedBytes, call.tuning.partBytes);
  const reader = new PartReader(source, { ...options, signal: stop.signal, operation, partBytes });
  const lanes = new Lanes(blocksAtOnce(partBytes(0)), () => stop.abort());
  const upload = { blob, call: { ...call, signal: stop.signal }, idOf: blockIds() };
  try {
    const staged = await stageAll(upload, reader, lanes);
    if (options.signal?.aborted) throw calledOff(operation);
    return { sizeBytes: staged.sizeBytes, modifiedAtMs: await commit(upload, staged.blocks) };
  } catch (error) {
    // What fails from now on only fails because of the first.
    const { failure = error } = lanes;
    stop.abort();
    await lanes.idle();
    throw failure;
  } finally {
    unlink();
    await reader.close();
  }
}

/**
 * Larger for what is expected to be large; and where the guess was too low, larger as it goes on, so that there are
 * never too many.
 */
export function blockBytes(index: number, expectedBytes = 0, leastBytes = 8 * MIB): number {
  const fitting = Math.ceil(expectedBytes / (MOST_BLOCKS - 10_000) / MIB) * MIB;
  return Math.max(leastBytes, fitting) * 2 ** Math.floor(index / 10_000);
}

function blocksAtOnce(bytes: number): number {
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(BUDGET_BYTES / bytes)));
}

interface Upload {
  readonly blob: BlockBlobClient;
  readonly call: GuardedCall;
  readonly idOf: (index: number) => string;
}

async function stageAll(
  upload: Upload,
  reader: PartReader,
  lanes: Lanes,
): Promise<{ blocks: number; sizeBytes: number }> {
  let [blocks, sizeBytes] = [0, 0];
  for (let part = await reader.next(); part && part.bytes.length > 0; part = await reader.next()) {
    const block = part;
    await lanes.add(async () => {
      await stage(upload, block);
      reader.release(block);
    });
    blocks += 1;
    sizeBytes += block.bytes.length;
  }
  await lanes.idle();
  if (lanes.failure) throw lanes.failure;
  return { blocks, sizeBytes };
}

async function stage({ blob, call, idOf }: Upload, { index, bytes }: Part): Promise<void> {
  await guardedCall(call, (guard) => {
    const body = () => sentBody(bytes, guard);
    return blob.stageBlock(idOf(index), body, bytes.length, { abortSignal: guard.signal });
  });
}

/** Cannot be canceled, as it would be unknown then whether there is a blob; repeating it does no harm. */
async function commit({ blob, call, idOf }: Upload, blocks: number): Promise<number> {
  const ids = Array.from({ length: blocks }, (_, index) => idOf(index));
  const { lastModified } = await guardedCall({ ...call, signal: undefined }, (guard) =>
    blob.commitBlockList(ids, { abortSignal: guard.signal }),
  );
  return lastModified?.getTime() ?? 0;
}

/**
 * Ids that no other upload to the same key has, or one could commit the blocks of both; all have to be of one length.
 */
function blockIds(): (index: number) => string {
  const upload = randomBytes(12).toString("hex");
  return (index) => Buffer.from(`${upload}-${String(index).padStart(5, "0")}`).toString("base64");
}
