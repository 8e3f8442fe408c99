import type { KeyValue as WireKeyValue } from "./protocol/generated/mvcc_pb.ts";

/** A key or value on its way in; text is UTF-8. */
export type Bytes = Uint8Array | string;

export interface KeyValue {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  /** How often the key was written since it was created. */
  readonly version: bigint;
  /** 0n: none. */
  readonly lease: bigint;
}

/** The `rangeEnd` that, with `key` = prefix, means every key that starts with it. */
export function prefixEnd(prefix: Bytes): Uint8Array {
  const end = Uint8Array.from(toBytes(prefix));
  for (let last = end.length - 1; last >= 0; last--) {
    const byte = end[last] ?? 0xff;
    if (byte === 0xff) continue;
    end[last] = byte + 1;
    return end.subarray(0, last + 1);
  }
  return NO_END;
}

// etcd reads a range end of one zero byte as "to the last key".
const NO_END = Uint8Array.of(0);

export function toBytes(input: Bytes): Uint8Array {
  return typeof input === "string" ? Buffer.from(input, "utf8") : input;
}

export function toKeyValue(kv: WireKeyValue): KeyValue {
  return {
    key: kv.key,
    value: kv.value,
    createRevision: kv.createRevision,
    modRevision: kv.modRevision,
    version: kv.version,
    lease: kv.lease,
  };
}
