import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { ObjectStore } from "@etcd-operator/object-store";
import { eachAtOnce } from "./each-at-once.ts";
import type { PieceSum } from "./piece-sums.ts";
import { SnapshotError } from "./snapshot-error.ts";

export interface Sent {
  readonly sizeBytes: number;
  readonly sha256: string;
  /** Some of its pieces, in their order. */
  readonly pieces: readonly PieceSum[];
}

/** Up to this size an object is read back completely. */
const READ_WHOLE_BYTES = 256 * 1024 * 1024;
/**
 * Of a larger one so many pieces are, from both ends and between: reading all of it would take as long as the backup
 * itself.
 */
const SAMPLE = 64;
const AT_ONCE = 4;

/** Compares what lies in the store with what was sent there: its size, and its bytes. */
export async function compareStored(store: ObjectStore, key: string, sent: Sent, signal: AbortSignal): Promise<void> {
  const stored = await store.stat(key, { signal });
  if (!stored) throw differs(store, key, "it does not exist, although the store confirmed the upload");
  if (stored.sizeBytes !== sent.sizeBytes) {
    throw differs(store, key, `it has ${stored.sizeBytes} bytes, but ${sent.sizeBytes} were sent`);
  }
  if (sent.sizeBytes <= READ_WHOLE_BYTES) await compareWhole(store, key, sent, signal);
  else await compareSample(store, key, sent, signal);
}

async function compareWhole(store: ObjectStore, key: string, { sha256 }: Sent, signal: AbortSignal): Promise<void> {
  const hash = createHash("sha256");
  for await (const chunk of store.get(key, { signal })) hash.update(chunk);
  if (hash.digest("hex") !== sha256) throw differs(store, key, "its SHA-256 differs from the data that was sent");
}

async function compareSample(store: ObjectStore, key: string, { pieces }: Sent, signal: AbortSignal): Promise<void> {
  await eachAtOnce(sampleOf(pieces), AT_ONCE, async ({ offset, length, crc32: expected }) => {
    const found = await sumOf(store.get(key, { offset, length, signal }));
    if (found.length !== length || found.crc32 !== expected) {
      throw differs(store, key, `the ${length} bytes from offset ${offset} differ from the data that was sent`);
    }
  });
}

/** Without keeping any of it: what is read here comes on top of what the upload left behind. */
async function sumOf(bytes: AsyncIterable<Uint8Array>): Promise<Pick<PieceSum, "length" | "crc32">> {
  let [length, sum] = [0, 0];
  for await (const chunk of bytes) {
    length += chunk.length;
    sum = crc32(chunk, sum);
  }
  return { length, crc32: sum };
}

/** Evenly spread, with both ends: parts that were put together wrongly differ over long stretches. */
function sampleOf(pieces: readonly PieceSum[]): PieceSum[] {
  const indices = Array.from({ length: SAMPLE }, (_, step) => Math.round((step * (pieces.length - 1)) / (SAMPLE - 1)));
  return [...new Set(indices)].flatMap((index) => pieces[index] ?? []);
}

function differs({ description }: ObjectStore, key: string, how: string): SnapshotError {
  return new SnapshotError(
    "not-as-sent",
    `object '${key}' in ${description} differs from the data that was sent: ${how}`,
  );
}
