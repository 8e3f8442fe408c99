import type { Bytes, KeyValue } from "../key-value.ts";
import type { Deletion, Put, Range, RangeResult } from "../operations.ts";
import type { Comparison, Operation, OperationResult, Transaction, TransactionResult } from "../transaction.ts";
import type { WatchEvent, WatchRequest } from "../watch.ts";
import type { BackwardWriter } from "./backward-writer.ts";
import type { FieldReader } from "./field-reader.ts";

// Numbers of fields are those of kv.proto, mvcc.proto and watch.proto. Messages are written backwards, so what comes last stands first.

const COMPARE_RESULTS = { "=": 0, ">": 1, "<": 2, "!=": 3 } as const;
const COMPARE_TARGETS = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;
const TARGET_FIELDS = { version: 4, createRevision: 5, modRevision: 6, value: 7, lease: 8 } as const;

export function writeTransaction(to: BackwardWriter, { compare, success, failure = [] }: Transaction): void {
  for (const operation of failure.toReversed()) writeOperation(to, 3, operation);
  for (const operation of success.toReversed()) writeOperation(to, 2, operation);
  for (const condition of compare.toReversed()) writeComparison(to, condition);
}

function writeComparison(to: BackwardWriter, condition: Comparison): void {
  const from = to.size;
  const field = TARGET_FIELDS[condition.target];
  if (condition.target === "value") writeBytes(to, field, condition.to);
  else to.number(field, condition.to);
  writeBytes(to, 3, condition.key);
  to.number(2, COMPARE_TARGETS[condition.target]);
  to.number(1, COMPARE_RESULTS[condition.is]);
  to.close(1, from);
}

function writeOperation(to: BackwardWriter, list: number, operation: Operation): void {
  const from = to.size;
  switch (operation.kind) {
    case "range":
      writeRange(to, operation);
      to.close(1, from);
      break;
    case "put":
      writePut(to, operation);
      to.close(2, from);
      break;
    case "delete":
      writeDeletion(to, operation);
      to.close(3, from);
      break;
  }
  to.close(list, from);
}

export function writeRange(to: BackwardWriter, range: Range): void {
  if (range.countOnly) to.number(9, 1);
  if (range.keysOnly) to.number(8, 1);
  if (range.serializable) to.number(7, 1);
  if (range.revision) to.number(4, range.revision);
  if (range.limit) to.number(3, range.limit);
  if (range.rangeEnd !== undefined) writeBytes(to, 2, range.rangeEnd);
  writeBytes(to, 1, range.key);
}

function writePut(to: BackwardWriter, { key, value, lease = 0n, withPrevious = false }: Put): void {
  if (withPrevious) to.number(4, 1);
  if (lease !== 0n) to.number(3, lease);
  writeBytes(to, 2, value);
  writeBytes(to, 1, key);
}

function writeDeletion(to: BackwardWriter, { key, rangeEnd, withPrevious = false }: Deletion): void {
  if (withPrevious) to.number(3, 1);
  if (rangeEnd !== undefined) writeBytes(to, 2, rangeEnd);
  writeBytes(to, 1, key);
}

function writeBytes(to: BackwardWriter, field: number, value: Bytes): void {
  if (typeof value === "string") to.text(field, value);
  else to.bytes(field, value);
}

export function readTransaction(from: FieldReader): TransactionResult {
  const results: OperationResult[] = [];
  let [succeeded, revision] = [false, 0n];
  while (from.next()) {
    if (from.field === 1) revision = readRevision(from.message());
    else if (from.field === 2) succeeded = from.number() !== 0n;
    else if (from.field === 3) results.push(...readOperation(from.message()));
    else from.skip();
  }
  return { succeeded, revision, results };
}

function readOperation(from: FieldReader): OperationResult[] {
  if (!from.next()) return [];
  if (from.field === 1) return [{ kind: "range", ...readRange(from.message()) }];
  if (from.field === 2) return [{ kind: "put", ...readPut(from.message()) }];
  if (from.field === 3) return [{ kind: "delete", ...readDeletion(from.message()) }];
  return [];
}

export function readRange(from: FieldReader): RangeResult {
  const keyValues: KeyValue[] = [];
  let [revision, hasMore, count] = [0n, false, 0];
  while (from.next()) {
    if (from.field === 1) revision = readRevision(from.message());
    else if (from.field === 2) keyValues.push(readKeyValue(from.message()));
    else if (from.field === 3) hasMore = from.number() !== 0n;
    else if (from.field === 4) count = Number(from.number());
    else from.skip();
  }
  return { revision, keyValues, hasMore, count };
}

function readPut(from: FieldReader) {
  let [revision, previous]: [bigint, KeyValue | undefined] = [0n, undefined];
  while (from.next()) {
    if (from.field === 1) revision = readRevision(from.message());
    else if (from.field === 2) previous = readKeyValue(from.message());
    else from.skip();
  }
  return { revision, ...(previous && { previous }) };
}

function readDeletion(from: FieldReader) {
  const previous: KeyValue[] = [];
  let [revision, deleted] = [0n, 0];
  while (from.next()) {
    if (from.field === 1) revision = readRevision(from.message());
    else if (from.field === 2) deleted = Number(from.number());
    else if (from.field === 3) previous.push(readKeyValue(from.message()));
    else from.skip();
  }
  return { revision, deleted, previous };
}

/** Of a header. */
function readRevision(from: FieldReader): bigint {
  let revision = 0n;
  while (from.next()) {
    if (from.field === 3) revision = from.number();
    else from.skip();
  }
  return revision;
}

const NO_BYTES = Buffer.alloc(0);

/** Its bytes are views into the message. */
function readKeyValue(from: FieldReader): KeyValue {
  let [key, value]: [Buffer, Buffer] = [NO_BYTES, NO_BYTES];
  let [createRevision, modRevision, version, lease] = [0n, 0n, 0n, 0n];
  while (from.next()) {
    if (from.field === 1) key = from.bytes();
    else if (from.field === 2) createRevision = from.number();
    else if (from.field === 3) modRevision = from.number();
    else if (from.field === 4) version = from.number();
    else if (from.field === 5) value = from.bytes();
    else if (from.field === 6) lease = from.number();
    else from.skip();
  }
  return { key, value, createRevision, modRevision, version, lease };
}

function readEvent(from: FieldReader): WatchEvent {
  let kind: WatchEvent["kind"] = "put";
  let keyValue: KeyValue | undefined;
  let previous: KeyValue | undefined;
  while (from.next()) {
    if (from.field === 1) kind = from.number() === 1n ? "delete" : "put";
    else if (from.field === 2) keyValue = readKeyValue(from.message());
    else if (from.field === 3) previous = readKeyValue(from.message());
    else from.skip();
  }
  if (!keyValue) throw new Error("an event is of no key");
  return previous ? { kind, keyValue, previous } : { kind, keyValue };
}

export function writeWatchCreation(to: BackwardWriter, request: WatchRequest): void {
  // In parts where it is much; see `readWatch`.
  to.number(8, 1);
  if (request.withPrevious) to.number(6, 1);
  if (request.progressNotify) to.number(4, 1);
  if (request.startRevision) to.number(3, request.startRevision);
  if (request.rangeEnd !== undefined) writeBytes(to, 2, request.rangeEnd);
  writeBytes(to, 1, request.key);
  to.close(1, 0);
}

/** A whole WatchRequest that asks for progress. */
export const PROGRESS_REQUEST = Buffer.of((3 << 3) | 2, 0);

interface WatchAnswer {
  revision: bigint;
  isCreated: boolean;
  isCanceled: boolean;
  compactRevision: bigint;
  cancelReason: string;
  /** Whether more of the same revision follows. */
  isPart: boolean;
  readonly events: WatchEvent[];
}

export function readWatch(from: FieldReader): WatchAnswer {
  const answer: WatchAnswer = {
    ...{ revision: 0n, isCreated: false, isCanceled: false, compactRevision: 0n, cancelReason: "", isPart: false },
    events: [],
  };
  while (from.next()) {
    if (from.field === 11) answer.events.push(readEvent(from.message()));
    else if (from.field === 1) answer.revision = readRevision(from.message());
    else if (from.field === 3) answer.isCreated = from.number() !== 0n;
    else if (from.field === 4) answer.isCanceled = from.number() !== 0n;
    else if (from.field === 5) answer.compactRevision = from.number();
    else if (from.field === 6) answer.cancelReason = from.bytes().toString("utf8");
    else if (from.field === 7) answer.isPart = from.number() !== 0n;
    else from.skip();
  }
  return answer;
}
