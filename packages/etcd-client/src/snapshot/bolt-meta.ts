import { BoltDefect, type BoltFile } from "./bolt-file.ts";

/** What the first two pages of a database say of the others. */
export interface BoltMeta {
  readonly pageSize: number;
  /** Page of the bucket that holds all others. */
  readonly rootPage: number;
  /** Pages from this one on are not in use, and need not be in the file. */
  readonly pages: number;
}

export const PAGE_HEADER_BYTES = 16;

const MAGIC = 0xed0cdaed;
const FORMAT = 2;
const CHECKED_BYTES = 56;
const META_BYTES = CHECKED_BYTES + 8;
const PAGE_SIZES = { least: 512, most: 64 * 1024 };

/** The newer of the two that is whole: bbolt writes them in turn, so that a crash can spoil one only. */
export async function boltMeta(file: BoltFile): Promise<BoltMeta> {
  if (file.sizeBytes < PAGE_HEADER_BYTES + META_BYTES) throw new BoltDefect("it is too short to be a database");
  const first = await metaAt(file, 0);
  if (!first) throw new BoltDefect("it does not begin as a database of etcd does");
  const second = await metaAt(file, first.pageSize);
  const { txid: _, ...newer } = second && second.txid > first.txid ? second : first;
  const neededBytes = newer.pages * newer.pageSize;
  if (neededBytes > file.sizeBytes) {
    throw new BoltDefect(
      `it should have ${neededBytes} bytes of data at least, and has ${file.sizeBytes} bytes in all`,
    );
  }
  return newer;
}

async function metaAt(file: BoltFile, offset: number): Promise<(BoltMeta & { readonly txid: bigint }) | undefined> {
  const bytes = await file.bytes(offset + PAGE_HEADER_BYTES, META_BYTES);
  const view = new DataView(bytes.buffer);
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== FORMAT) return undefined;
  if (view.getBigUint64(CHECKED_BYTES, true) !== fnv64a(bytes.subarray(0, CHECKED_BYTES))) return undefined;
  const pageSize = view.getUint32(8, true);
  const isPower = (pageSize & (pageSize - 1)) === 0;
  if (!isPower || pageSize < PAGE_SIZES.least || pageSize > PAGE_SIZES.most) return undefined;
  return {
    pageSize,
    rootPage: Number(view.getBigUint64(16, true)),
    pages: Number(view.getBigUint64(40, true)),
    txid: view.getBigUint64(48, true),
  };
}

/** The checksum that bbolt uses. */
export function fnv64a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
