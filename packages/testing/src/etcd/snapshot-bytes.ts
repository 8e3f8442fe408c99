import type { EtcdClient } from "@etcd-operator/etcd-client";
import type { ReadRange } from "@etcd-operator/etcd-client/snapshot/bolt-file.ts";

/** For tests: a complete snapshot in memory. */
export async function snapshotBytes(client: Pick<EtcdClient, "snapshot">): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of client.snapshot()) chunks.push(Uint8Array.from(chunk));
  return Buffer.concat(chunks);
}

/** Reads from memory as one would from a store, and remembers what was asked for. */
export function readingFrom(file: Uint8Array): {
  readonly read: ReadRange;
  readonly asked: { bytes: number; pieces: number };
} {
  const asked = { bytes: 0, pieces: 0 };
  return {
    asked,
    async read(offset, length) {
      asked.bytes += length;
      asked.pieces += 1;
      return file.subarray(offset, offset + length);
    },
  };
}

/** Writes `count` keys, many at a time. */
export async function writeKeys(
  client: Pick<EtcdClient, "transaction">,
  count: number,
  value: (n: number) => Uint8Array | string = (n) => `value ${n}`,
): Promise<void> {
  for (let first = 0; first < count; first += MOST_OPERATIONS) {
    const numbers = Array.from({ length: Math.min(MOST_OPERATIONS, count - first) }, (_, index) => first + index);
    const success = numbers.map((n) => ({ kind: "put" as const, key: `key/${n}`, value: value(n) }));
    await client.transaction({ compare: [], success });
  }
}

/** What etcd takes in one transaction by default. */
const MOST_OPERATIONS = 128;
