import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { LogPlace } from "./log-reached.ts";

const ENTRY = 2;
const SNAPSHOT = 5;
const NOTHING: LogPlace = { term: 0, index: 0 };

/**
 * Where a log ends: its last entry, or the snapshot that replaced the earlier entries. Segments by age, the oldest
 * first; the newest may have none, right after it was begun. What follows a record that was cut off or overwritten is
 * not read, and etcd would not either.
 */
export function logEnd(segments: readonly string[]): LogPlace {
  for (const segment of segments.toReversed()) {
    const end = endIn(segment);
    if (end) return end;
  }
  return NOTHING;
}

function endIn(segment: string): LogPlace | undefined {
  let end: LogPlace | undefined;
  for (const head of recordHeads(segment)) {
    const record = leadingFields(head);
    const data = record.bytes && leadingFields(record.bytes).numbers;
    if (!data) continue;
    // An entry of the same index, or a lower one, replaces all from there on.
    if (record.numbers[1] === ENTRY) end = { term: data[2] ?? 0, index: data[3] ?? 0 };
    if (record.numbers[1] === SNAPSHOT && (data[1] ?? 0) > (end?.index ?? 0)) {
      end = { term: data[2] ?? 0, index: data[1] ?? 0 };
    }
  }
  return end;
}

/**
 * All that is of interest in a record: its type, and term and index of an entry; the value that was written comes
 * later.
 */
const HEAD_BYTES = 64;
const FRAME_BYTES = 8;
/** A segment has 64 MB, or as much more as one entry; it is never completely in memory. */
const WINDOW_BYTES = 1024 * 1024;

/** The beginnings of the records of a segment; `walIdentity` describes how a record is framed. */
function* recordHeads(segment: string): Generator<Buffer> {
  const descriptor = openSync(segment, "r");
  const size = fstatSync(descriptor).size;
  const window = Buffer.allocUnsafe(WINDOW_BYTES);
  let [start, filled] = [0, 0];
  /** Fewer bytes than asked for at the end of the file. */
  const bytesAt = (place: number, count: number): Buffer => {
    if (place < start || place + count > start + filled) {
      start = place;
      filled = readSync(descriptor, window, 0, WINDOW_BYTES, place);
    }
    return window.subarray(place - start, Math.min(place - start + count, filled));
  };
  try {
    for (let place = 0; ; ) {
      const frame = bytesAt(place, FRAME_BYTES);
      if (frame.length < FRAME_BYTES) return;
      const [low, high] = [frame.readUInt32LE(0), frame.readUInt32LE(4)];
      const length = (high & 0xff_ffff) * 2 ** 32 + low;
      const padding = high >>> 31 ? (high >>> 24) & 7 : 0;
      const end = place + FRAME_BYTES + length + padding;
      // Zeros are space that was never written to; and a record counts only if all of it is there.
      if (length === 0 || end > size) return;
      yield bytesAt(place + FRAME_BYTES, Math.min(length, HEAD_BYTES));
      place = end;
    }
  } finally {
    closeSync(descriptor);
  }
}

interface Fields {
  /** By the number of the field. */
  readonly numbers: readonly (number | undefined)[];
  /** The first field of bytes, as far as it is there. */
  readonly bytes: Buffer | undefined;
}

const MOST_FIELDS = 16;

/** The fields that a protobuf message begins with, up to the first that is not wholly there. */
function leadingFields(message: Buffer): Fields {
  const numbers: (number | undefined)[] = [];
  for (let offset = 0; offset < message.length; ) {
    const tag = message[offset] ?? 0;
    const [field, wireType] = [tag >> 3, tag & 7];
    const value = numberAt(message, offset + 1);
    if (value === undefined || field >= MOST_FIELDS) break;
    if (wireType === 2) return { numbers, bytes: message.subarray(value.end, value.end + value.number) };
    if (wireType !== 0) break;
    numbers[field] = value.number;
    offset = value.end;
  }
  return { numbers, bytes: undefined };
}

/** Terms and indexes are far from the numbers that JavaScript rounds. */
function numberAt(message: Buffer, start: number): { readonly number: number; readonly end: number } | undefined {
  let number = 0;
  for (let place = 0; place < 10; place += 1) {
    const byte = message[start + place];
    if (byte === undefined) return undefined;
    number += (byte & 0x7f) * 2 ** (7 * place);
    if (byte < 0x80) return { number, end: start + place + 1 };
  }
  return undefined;
}
