import { describe, expect, test } from "vitest";
import { walIdentity } from "./wal-identity.ts";

const CHECKSUM = 4;
const METADATA = 1;
const ids = { memberId: 0x8e9e05c52164694dn, clusterId: 0xcdf818194e3a8c32n };
const log = Buffer.concat([record(CHECKSUM, Buffer.alloc(0)), record(METADATA, metadata(ids))]);

describe("the beginning of a log", () => {
  test("says whose log it is, after a checksum", () => {
    expect(walIdentity(log)).toEqual(ids);
  });

  test("may be followed by anything, also by half a record or by space that was never written to", () => {
    for (const rest of [Buffer.alloc(4096), Buffer.from([9, 0, 0]), Buffer.alloc(64, 0xff)]) {
      expect(walIdentity(Buffer.concat([log, rest]))).toEqual(ids);
    }
  });

  test("that is cut at any byte says nothing, and does not throw", () => {
    for (let length = 0; length < log.length; length += 1) expect(walIdentity(log.subarray(0, length))).toBeUndefined();
  });

  test.each([
    ["zeros", Buffer.alloc(4096)],
    ["ones", Buffer.alloc(4096, 0xff)],
    ["text", Buffer.from("this is no log of etcd, but a text that someone left here".repeat(9))],
    ["a log without metadata", record(CHECKSUM, Buffer.alloc(0))],
    ["metadata without ids", record(METADATA, Buffer.alloc(0))],
  ])("made of %s says nothing", (_, head) => {
    expect(walIdentity(head)).toBeUndefined();
  });
});

/** walpb.Record { type = 1, crc = 2, data = 3 }, padded to a multiple of eight and framed. */
function record(type: number, data: Buffer): Buffer {
  const message = Buffer.concat([Buffer.from([0x08, type, 0x10, 0x7f, 0x1a, data.length]), data]);
  const padding = (8 - (message.length % 8)) % 8;
  const frame = Buffer.alloc(8);
  frame.writeBigUInt64LE(BigInt(message.length) | (padding ? (0x80n | BigInt(padding)) << 56n : 0n));
  return Buffer.concat([frame, message, Buffer.alloc(padding)]);
}

/** etcdserverpb.Metadata { NodeID = 1, ClusterID = 2 } */
function metadata({ memberId, clusterId }: typeof ids): Buffer {
  return Buffer.from([0x08, ...varint(memberId), 0x10, ...varint(clusterId)]);
}

function varint(value: bigint): number[] {
  return value < 0x80n ? [Number(value)] : [Number(value & 0x7fn) | 0x80, ...varint(value >> 7n)];
}
