import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { logEnd } from "./log-end.ts";

const TYPES = { entry: 2, state: 3, checksum: 4, snapshot: 5 } as const;
const RESERVED = Buffer.alloc(4096);

describe("a log ends", () => {
  test("with its last entry, whatever else is written behind it", async () => {
    const log = await aSegment(checksum, entry(1, 1), entry(2, 1), entry(3, 2), state, RESERVED);
    expect(logEnd([log])).toEqual({ term: 2, index: 3 });
  });

  test("with the entry that replaced others, which had no majority", async () => {
    const log = await aSegment(entry(1, 1), entry(2, 1), entry(3, 1), entry(2, 2));
    expect(logEnd([log])).toEqual({ term: 2, index: 2 });
  });

  test("with the snapshot that was sent in the place of entries, and not with one of what it has", async () => {
    expect(logEnd([await aSegment(entry(1, 1), snapshot(50, 3), state)])).toEqual({ term: 3, index: 50 });
    expect(logEnd([await aSegment(snapshot(50, 3), entry(51, 3), snapshot(40, 2))])).toEqual({ term: 3, index: 51 });
  });

  test("in the segment before, while the newest has no entry yet", async () => {
    const [older, newest] = [await aSegment(entry(7, 2)), await aSegment(checksum, state, RESERVED)];
    expect(logEnd([older, newest])).toEqual({ term: 2, index: 7 });
    expect(logEnd([newest])).toEqual({ term: 0, index: 0 });
  });

  test("before a record that is not wholly there, wherever it was cut", async () => {
    const kept = Buffer.concat([entry(1, 1), entry(2, 1)]);
    const last = entry(3, 1, 300);
    const log = await aSegment(kept, last);
    for (let length = kept.length + last.length - 1; length >= kept.length; length -= 7) {
      await truncate(log, length);
      expect(logEnd([log])).toEqual({ term: 1, index: 2 });
    }
  });

  test("where it was overwritten with zeros", async () => {
    expect(logEnd([await aSegment(entry(1, 1), RESERVED, entry(2, 1))])).toEqual({ term: 1, index: 1 });
  });

  test("behind entries that are larger than what is read at once, and behind very many", async () => {
    const large = 1_500_000;
    expect(logEnd([await aSegment(entry(1, 1, large), entry(2, 1, large), entry(3, 1))])).toEqual({
      term: 1,
      index: 3,
    });
    const many = Array.from({ length: 50_000 }, (_, at) => entry(at + 1, 9, 40));
    expect(logEnd([await aSegment(...many)])).toEqual({ term: 9, index: 50_000 });
  });

  test("somewhere, also in what is no log", async () => {
    for (const bytes of [Buffer.alloc(64, 0xff), Buffer.from("no log of etcd".repeat(9)), Buffer.alloc(0)]) {
      expect(logEnd([await aSegment(bytes)])).toEqual({ term: 0, index: 0 });
    }
  });
});

const checksum = record(TYPES.checksum, Buffer.alloc(0));
const state = record(TYPES.state, Buffer.from([0x08, 9, 0x10, 1, 0x18, 2]));

/** raftpb.Entry { Type = 1, Term = 2, Index = 3, Data = 4 } */
function entry(index: number, term: number, bytes = 5): Buffer {
  const head = [0x08, 0, 0x10, ...varint(term), 0x18, ...varint(index), 0x22, ...varint(bytes)];
  return record(TYPES.entry, Buffer.concat([Buffer.from(head), Buffer.alloc(bytes, 7)]));
}

/** walpb.Snapshot { index = 1, term = 2 } */
function snapshot(index: number, term: number): Buffer {
  return record(TYPES.snapshot, Buffer.from([0x08, ...varint(index), 0x10, ...varint(term)]));
}

/** walpb.Record { type = 1, crc = 2, data = 3 }, padded to a multiple of eight and framed. */
function record(type: number, data: Buffer): Buffer {
  const message = Buffer.concat([Buffer.from([0x08, type, 0x10, 0x7f, 0x1a, ...varint(data.length)]), data]);
  const padding = (8 - (message.length % 8)) % 8;
  const frame = Buffer.alloc(8);
  frame.writeBigUInt64LE(BigInt(message.length) | (padding ? (0x80n | BigInt(padding)) << 56n : 0n));
  return Buffer.concat([frame, message, Buffer.alloc(padding)]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))];
}

async function aSegment(...parts: readonly Buffer[]): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-log-end-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "0.wal");
  await writeFile(file, Buffer.concat(parts));
  return file;
}
