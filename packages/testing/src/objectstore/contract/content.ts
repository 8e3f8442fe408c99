import { createHash } from "node:crypto";
import { ObjectStoreError } from "@etcd-operator/object-store";

const BLOCK = 65_536;

/** Bytes that differ everywhere and are the same for the same seed, in chunks of uneven sizes. */
export async function* content(sizeBytes: number, seed = 1): AsyncGenerator<Uint8Array> {
  for (let at = 0, n = 0; at < sizeBytes; n += 1) {
    const size = Math.min(sizeBytes - at, 1 + ((n * 40_503 + seed) % BLOCK));
    yield noise(at, size, seed);
    at += size;
  }
}

/** SHA-256 of what `content` yields. */
export function digestOfContent(sizeBytes: number, seed = 1): Promise<string> {
  return digest(content(sizeBytes, seed));
}

export async function digest(source: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of source) hash.update(chunk);
  return hash.digest("hex");
}

export async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function all<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}

export async function* text(words: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(words);
}

/** The error a call is expected to end in. */
export async function storeErrorOf(call: Promise<unknown>): Promise<ObjectStoreError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ObjectStoreError) return error;
  throw new Error(`expected an ObjectStoreError, got ${String(error)}`, { cause: error });
}

// A table of noise, read from another place in each block: cheap to make, and no two blocks are alike.
const TABLE = 251 * 1021;
const tables = new Map<number, Buffer>();

function noise(at: number, size: number, seed: number): Uint8Array {
  const table = tables.get(seed) ?? makeTable(seed);
  const chunk = Buffer.allocUnsafe(size);
  for (let done = 0; done < size; ) {
    const from = (at + done) % TABLE;
    done += table.copy(chunk, done, from, Math.min(TABLE, from + size - done));
  }
  if (size >= 8) chunk.writeDoubleBE(at, 0);
  return chunk;
}

function makeTable(seed: number): Buffer {
  const table = Buffer.alloc(TABLE);
  let state = seed * 2_654_435_761;
  for (let n = 0; n < TABLE; n += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    table[n] = state >>> 24;
  }
  tables.set(seed, table);
  return table;
}
