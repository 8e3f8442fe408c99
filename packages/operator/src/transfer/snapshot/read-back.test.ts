import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeEach, describe, test } from "vitest";
import { PIECE_BYTES, PieceSums } from "./piece-sums.ts";
import { compareStored, type Sent } from "./read-back.ts";

const { signal } = new AbortController();
const bytes = Buffer.from(Array.from({ length: PIECE_BYTES + 5_000 }, (_, index) => (index * 11) % 253));

function sent(content: Uint8Array): Sent {
  const pieces = new PieceSums();
  pieces.update(content);
  return {
    sizeBytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
    pieces: pieces.pieces(),
  };
}

describe("what was stored", () => {
  let store: MemoryStore;
  beforeEach(() => {
    store = new MemoryStore();
    store.objects.set("k", Buffer.from(bytes));
  });

  test("passes when it is what was sent", async () => {
    await compareStored(store, "k", sent(bytes), signal);
  });

  test.each([
    ["is not there", () => undefined, /it does not exist, although the store confirmed the upload/],
    ["is shorter", () => bytes.subarray(1), /it has 267143 bytes, but 267144 were sent/],
    ["differs in one bit", () => changed(bytes, 77), /its SHA-256 differs from the data that was sent/],
    ["differs in its last byte", () => changed(bytes, bytes.length - 1), /its SHA-256/],
  ])("is refused when it %s", async (_, content, message) => {
    const stored = content();
    if (stored) store.objects.set("k", stored);
    else store.objects.delete("k");
    const compared = compareStored(store, "k", sent(bytes), signal);
    await assert.rejects(compared, { code: "not-as-sent", isTransient: true, message });
    await assert.rejects(compared, /object 'k' in memory bucket 'backups'/);
  });

  test("is not read when the read is cancelled", async () => {
    const compared = compareStored(store, "k", sent(bytes), AbortSignal.abort(new Error("enough")));
    await assert.rejects(compared, /enough/);
  });
});

describe("an object of gigabytes", () => {
  const PIECES = 2_000;
  /** Bytes that are computed, so that they need no memory. */
  class VastStore extends MemoryStore {
    readBytes = 0;
    readonly isWrong: (piece: number) => boolean;

    constructor(isWrong: (piece: number) => boolean = () => false) {
      super();
      this.isWrong = isWrong;
    }
    override async stat(key: string) {
      return { key, sizeBytes: PIECES * PIECE_BYTES, modifiedAtMs: 0 };
    }
    override async *get(_: string, { offset = 0, length = 0 } = {}) {
      const piece = Math.floor(offset / PIECE_BYTES);
      this.readBytes += length;
      yield pieceOf(this.isWrong(piece) ? piece + 1 : piece).subarray(0, length);
    }
  }
  const pieceOf = (piece: number) => Buffer.alloc(PIECE_BYTES, piece % 256);
  const pieces = new PieceSums(PIECES * PIECE_BYTES);
  for (let piece = 0; piece < PIECES; piece += 1) pieces.update(pieceOf(piece));
  const vast: Sent = { sizeBytes: PIECES * PIECE_BYTES, sha256: "", pieces: pieces.pieces() };

  test("is compared by a sample of it", async () => {
    const store = new VastStore();
    await compareStored(store, "k", vast, signal);
    assert.equal(store.readBytes, 64 * PIECE_BYTES);
  });

  test.each([
    ["whose first piece differs", (piece: number) => piece === 0],
    ["whose last piece differs", (piece: number) => piece === PIECES - 1],
    ["of which a part of 64 MiB was put in a wrong place", (piece: number) => piece >= 700 && piece < 764],
  ])("%s is refused", async (_, isWrong) => {
    const compared = compareStored(new VastStore(isWrong), "k", vast, signal);
    await assert.rejects(compared, {
      code: "not-as-sent",
      message: /bytes from offset \d+ differ from the data that was sent/,
    });
  });
});

function changed(content: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(content);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}
