import assert from "node:assert/strict";
import { test } from "vitest";
import { dataBytes, FrameReader, goAwayBytes, openBytes, pingBytes, replyBytes, resetBytes } from "./frame.ts";

test("frames are found again, however they are cut on their way", () => {
  const block = Buffer.from("block");
  const bytes = Buffer.concat([
    openBytes(1, block),
    replyBytes(1, block),
    dataBytes(1, Buffer.from("hello"), false),
    dataBytes(1, Buffer.alloc(0), true),
    pingBytes(7),
    resetBytes(3),
    goAwayBytes(3),
  ]);
  const expected = [
    { kind: "open", streamId: 1, isLast: false, block },
    { kind: "headers", streamId: 1, block },
    { kind: "data", streamId: 1, isLast: false, data: Buffer.from("hello") },
    { kind: "data", streamId: 1, isLast: true, data: Buffer.alloc(0) },
    { kind: "ping", id: 7 },
    { kind: "reset", streamId: 3 },
    { kind: "go-away" },
  ];
  for (const size of [1, 7, bytes.length]) {
    const reader = new FrameReader();
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
    assert.deepEqual(frames, expected);
  }
});

test("settings and windows are passed over, another version is refused", () => {
  const settings = Buffer.from([0x80, 3, 0, 4, 0, 0, 0, 4, 0, 0, 0, 0]);
  assert.deepEqual(new FrameReader().push(settings), [{ kind: "other" }]);
  assert.throws(() => new FrameReader().push(Buffer.from([0x80, 2, 0, 1, 0, 0, 0, 0])), /unknown version/);
  assert.throws(() => new FrameReader().push(Buffer.from([0x80, 3, 0, 1, 0, 0xff, 0, 0])), /too long/);
});
