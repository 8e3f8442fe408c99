import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { rangeRequest, rangeResult } from "../operations.ts";
import {
  RangeRequestSchema,
  RangeResponseSchema,
  TxnRequestSchema,
  TxnResponseSchema,
} from "../protocol/generated/kv_pb.ts";
import { Event_EventType } from "../protocol/generated/mvcc_pb.ts";
import { WatchRequestSchema, WatchResponseSchema } from "../protocol/generated/watch_pb.ts";
import { type Transaction, transactionRequest, transactionResult } from "../transaction.ts";
import { BackwardWriter } from "./backward-writer.ts";
import { FieldReader } from "./field-reader.ts";
import {
  PROGRESS_REQUEST,
  readRange,
  readTransaction,
  readWatch,
  writeRange,
  writeTransaction,
  writeWatchCreation,
} from "./messages.ts";

function written(write: (to: BackwardWriter) => void): Uint8Array {
  const writer = new BackwardWriter(16_000);
  write(writer);
  return Uint8Array.from(writer.take());
}

const reader = (bytes: Uint8Array) => new FieldReader(Buffer.from(bytes));
const kv = (key: string, modRevision: bigint) => ({
  ...{ key: Buffer.from(key), value: Buffer.from(`value of ${key}`), createRevision: 3n, modRevision, version: 300n },
  lease: -0x7fff_ffff_ffff_ffffn,
});
const header = { clusterId: 0xffff_ffff_ffff_fff0n, memberId: 1n << 63n, revision: 123_456_789_012n, raftTerm: 2n };

const transactions: [what: string, transaction: Transaction][] = [
  [
    "an update",
    {
      compare: [{ key: "/a/ü", target: "modRevision", is: "=", to: 70_000n }],
      success: [{ kind: "put", key: "/a/ü", value: Buffer.from("v".repeat(300)) }],
    },
  ],
  [
    "a creation with claims",
    {
      compare: [
        { key: "a", target: "createRevision", is: "=", to: 0n },
        { key: "b", target: "value", is: "!=", to: "x" },
        { key: "c", target: "version", is: ">", to: -5n },
        { key: "d", target: "lease", is: "<", to: 1n << 40n },
      ],
      success: [
        { kind: "put", key: "a", value: "1", lease: 7n, withPrevious: true },
        { kind: "delete", key: "b", rangeEnd: "c", withPrevious: true },
      ],
      failure: [{ kind: "range", key: "a", limit: 3, revision: 9n, serializable: true }],
    },
  ],
];

test.each(transactions)("%s is written as the generated code reads it", (_what, transaction) => {
  const read = fromBinary(
    TxnRequestSchema,
    written((to) => writeTransaction(to, transaction)),
  );
  expect(read).toEqual(
    fromBinary(TxnRequestSchema, toBinary(TxnRequestSchema, create(TxnRequestSchema, transactionRequest(transaction)))),
  );
});

test("a range and the creation of a watch are written as the generated code reads them", () => {
  const range = { key: "a", rangeEnd: "b", limit: 500, revision: 1n << 33n, keysOnly: true, countOnly: true };
  const read = fromBinary(
    RangeRequestSchema,
    written((to) => writeRange(to, range)),
  );
  expect(read).toEqual(
    fromBinary(RangeRequestSchema, toBinary(RangeRequestSchema, create(RangeRequestSchema, rangeRequest(range)))),
  );
  const request = {
    key: "/a/",
    rangeEnd: Buffer.from("/a0"),
    startRevision: 17n,
    withPrevious: true,
    progressNotify: true,
  };
  expect(
    fromBinary(
      WatchRequestSchema,
      written((to) => writeWatchCreation(to, request)),
    ).requestUnion,
  ).toMatchObject({
    case: "createRequest",
    value: { startRevision: 17n, prevKv: true, progressNotify: true, fragment: true },
  });
  expect(fromBinary(WatchRequestSchema, PROGRESS_REQUEST).requestUnion.case).toBe("progressRequest");
});

test("answers are read as the generated code writes them", () => {
  const range = create(RangeResponseSchema, {
    header,
    kvs: [kv("a", 8n), kv("b", 1n << 50n)],
    more: true,
    count: 1_000n,
  });
  expect(readRange(reader(toBinary(RangeResponseSchema, range)))).toEqual(rangeResult(range));
  const transaction = create(TxnResponseSchema, {
    ...{ header, succeeded: true },
    responses: [
      { response: { case: "responsePut", value: { header, prevKv: kv("p", 5n) } } },
      { response: { case: "responseRange", value: range } },
      { response: { case: "responseDeleteRange", value: { deleted: 2n, prevKvs: [kv("d", 6n)] } } },
    ],
  });
  expect(readTransaction(reader(toBinary(TxnResponseSchema, transaction)))).toEqual(transactionResult(transaction));
});

test("what a watch tells is read, event by event", () => {
  const answer = create(WatchResponseSchema, {
    ...{ header, watchId: 1n, fragment: true },
    events: [
      { kv: kv("a", 8n), prevKv: kv("a", 7n) },
      { type: Event_EventType.DELETE, kv: { key: Buffer.from("b"), modRevision: 9n } },
    ],
  });
  const read = readWatch(reader(toBinary(WatchResponseSchema, answer)));
  expect(read).toMatchObject({ revision: header.revision, isPart: true, isCreated: false, isCanceled: false });
  expect(
    read.events.map(({ kind, keyValue, previous }) => [
      kind,
      String(keyValue.key),
      keyValue.modRevision,
      previous?.modRevision,
    ]),
  ).toEqual([
    ["put", "a", 8n, 7n],
    ["delete", "b", 9n, undefined],
  ]);
  const canceled = create(WatchResponseSchema, { canceled: true, compactRevision: 5n, cancelReason: "too old" });
  expect(readWatch(reader(toBinary(WatchResponseSchema, canceled)))).toMatchObject({
    ...{ isCanceled: true, compactRevision: 5n, cancelReason: "too old" },
  });
});

test("a message that is cut off is no message", () => {
  const whole = toBinary(RangeResponseSchema, create(RangeResponseSchema, { kvs: [kv("a", 8n)] }));
  expect(() => readRange(reader(whole.subarray(0, whole.length - 3)))).toThrow(/ends too early/);
});

test("fields that a later etcd may add are passed over, whatever they hold", () => {
  const response = create(RangeResponseSchema, { header, kvs: [kv("a", 7n)], count: 1n });
  const text = [(12 << 3) | 2, 3, ...Buffer.from("abc")];
  const fixed = [(13 << 3) | 5, 1, 2, 3, 4, (14 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8];
  const bytes = Buffer.from([...text, ...fixed, ...toBinary(RangeResponseSchema, response), ...text]);
  expect(readRange(reader(bytes))).toEqual(rangeResult(response));
});
