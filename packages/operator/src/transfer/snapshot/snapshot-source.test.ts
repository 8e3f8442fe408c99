import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import type { SnapshotError } from "./snapshot-error.ts";
import { SnapshotSource } from "./snapshot-source.ts";

const database = Buffer.from(Array.from({ length: 4 * 512 }, (_, index) => index % 251));
const file = Buffer.concat([database, createHash("sha256").update(database).digest()]);

let clock: FakeClock;
let gaveUp: SnapshotError[];
let ends: number;
beforeEach(() => {
  clock = new FakeClock();
  [gaveUp, ends] = [[], 0];
});

function source(stream: AsyncIterable<Uint8Array>): SnapshotSource {
  return new SnapshotSource(stream, {
    clock,
    from: "etcd a:2379",
    cancel: (why) => gaveUp.push(why),
    beforeEnd: async () => {
      ends += 1;
    },
  });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 500) yield bytes.subarray(at, at + 500);
}

async function read(from: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of from) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("a snapshot on its way", () => {
  test("passes unchanged, and is known when it has passed", async () => {
    const passing = source(chunksOf(file));
    assert.deepEqual(await read(passing), file);
    assert.deepEqual(passing.sent, {
      sizeBytes: file.length,
      sha256: createHash("sha256").update(file).digest("hex"),
      pieces: [{ offset: 0, length: file.length, crc32: crc32(file) }],
    });
    assert.deepEqual([ends, clock.pendingMs], [1, []]);
  });

  test.each([
    ["without its hash", database, /does not end in its hash \(2048 bytes\): nothing was stored/],
    ["cut in the middle", file.subarray(0, 1_000), /does not end in its hash/],
    ["with a changed byte", Buffer.concat([Buffer.from("x"), file.subarray(1)]), /does not match its hash/],
    ["of nothing", Buffer.alloc(0), /does not end in its hash \(0 bytes\)/],
  ])("%s throws before its end, so that the store keeps nothing of it", async (_, bytes, message) => {
    await assert.rejects(read(source(chunksOf(bytes))), { code: "damaged", isTransient: true, message });
    assert.equal(ends, 0);
  });

  test("passes on what the member failed with", async () => {
    async function* broken() {
      yield file.subarray(0, 500);
      throw new Error("the connection broke");
    }
    await assert.rejects(read(source(broken())), /the connection broke/);
    assert.deepEqual([ends, clock.pendingMs], [0, []]);
  });

  test("that does not come for a minute is aborted", async () => {
    let stop = () => {};
    async function* stalling() {
      yield file.subarray(0, 500);
      await new Promise<void>((resolve) => {
        stop = resolve;
      });
    }
    const reading = read(source(stalling()));
    await clock.advance(59_999);
    assert.equal(gaveUp.length, 0);
    await clock.advance(1);
    const [why] = gaveUp;
    assert.match(why?.message ?? "", /etcd a:2379 has sent nothing for 60 s, after 500 bytes/);
    assert.equal(why?.code, "stalled");
    stop();
    await assert.rejects(reading);
  });

  test("is not aborted for a store that takes its time", async () => {
    const passing = source(chunksOf(file));
    const chunks = passing[Symbol.asyncIterator]();
    await chunks.next();
    await clock.advance(3_600_000);
    assert.deepEqual(gaveUp, []);
    await chunks.return();
  });

  test("is ended at its member when the store stops reading", async () => {
    let isEnded = false;
    async function* endless() {
      try {
        for (;;) yield file;
      } finally {
        isEnded = true;
      }
    }
    for await (const _ of source(endless())) break;
    assert.deepEqual([isEnded, ends], [true, 0]);
  });
});
