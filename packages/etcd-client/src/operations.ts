import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Bytes, type KeyValue, toBytes, toKeyValue } from "./key-value.ts";
import type {
  DeleteRangeRequestSchema,
  DeleteRangeResponse,
  PutRequestSchema,
  PutResponse,
  RangeRequestSchema,
  RangeResponse,
} from "./protocol/generated/kv_pb.ts";

export interface Range {
  readonly key: Bytes;
  /** Exclusive; see `prefixEnd`. Absent: the one key. */
  readonly rangeEnd?: Bytes;
  readonly limit?: number;
  /** Absent: the newest. */
  readonly revision?: bigint;
  /** True: answered from this member's own, possibly stale, copy. */
  readonly serializable?: boolean;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResult {
  /** The revision of the store when it was read. */
  readonly revision: bigint;
  readonly keyValues: readonly KeyValue[];
  /** True when `limit` cut the answer. */
  readonly hasMore: boolean;
  /** Of all keys in the range, whatever the limit. */
  readonly count: number;
}

export interface Put {
  readonly key: Bytes;
  readonly value: Bytes;
  readonly lease?: bigint;
  readonly withPrevious?: boolean;
}

export interface PutResult {
  readonly revision: bigint;
  readonly previous?: KeyValue;
}

export interface Deletion {
  readonly key: Bytes;
  readonly rangeEnd?: Bytes;
  readonly withPrevious?: boolean;
}

export interface DeletionResult {
  readonly revision: bigint;
  readonly deleted: number;
  readonly previous: readonly KeyValue[];
}

const ABSENT = new Uint8Array(0);

// Proto3 does not send a field that has its default, so every default below means "not asked for".
export function rangeRequest(range: Range): MessageInitShape<typeof RangeRequestSchema> {
  return {
    key: toBytes(range.key),
    rangeEnd: toBytes(range.rangeEnd ?? ABSENT),
    limit: BigInt(range.limit ?? 0),
    revision: range.revision ?? 0n,
    serializable: range.serializable ?? false,
    keysOnly: range.keysOnly ?? false,
    countOnly: range.countOnly ?? false,
  };
}

export function rangeResult({ header, kvs, more, count }: RangeResponse): RangeResult {
  return { revision: header?.revision ?? 0n, keyValues: kvs.map(toKeyValue), hasMore: more, count: Number(count) };
}

export function putRequest(put: Put): MessageInitShape<typeof PutRequestSchema> {
  return {
    key: toBytes(put.key),
    value: toBytes(put.value),
    lease: put.lease ?? 0n,
    prevKv: put.withPrevious ?? false,
  };
}

export function putResult({ header, prevKv }: PutResponse): PutResult {
  return { revision: header?.revision ?? 0n, ...(prevKv && { previous: toKeyValue(prevKv) }) };
}

export function deletionRequest(deletion: Deletion): MessageInitShape<typeof DeleteRangeRequestSchema> {
  return {
    key: toBytes(deletion.key),
    rangeEnd: toBytes(deletion.rangeEnd ?? ABSENT),
    prevKv: deletion.withPrevious ?? false,
  };
}

export function deletionResult({ header, deleted, prevKvs }: DeleteRangeResponse): DeletionResult {
  return { revision: header?.revision ?? 0n, deleted: Number(deleted), previous: prevKvs.map(toKeyValue) };
}
