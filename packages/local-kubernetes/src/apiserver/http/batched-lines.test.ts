import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { beforeEach, test } from "vitest";
import { BatchedLines } from "./batched-lines.ts";

let written: string[];
let lines: BatchedLines;

beforeEach(() => {
  written = [];
  const response = { write: (bytes: Buffer) => written.push(bytes.toString()), writableLength: 0 };
  lines = new BatchedLines(response as unknown as ServerResponse);
});

const add = (...texts: readonly string[]) => {
  for (const text of texts) lines.add(Buffer.from(text));
};
const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

test("lines of one moment go out together and at once", async () => {
  add("a", "b");
  await nextTick();
  assert.deepEqual(written, ["ab"]);
});

test("nothing waits for what comes later", async () => {
  for (const text of ["a", "b", "c"]) {
    add(text);
    await nextTick();
  }
  assert.deepEqual(written, ["a", "b", "c"]);
});

test("a flush sends what there is, and nothing is sent twice", async () => {
  add("a");
  lines.flush();
  assert.deepEqual(written, ["a"]);
  await nextTick();
  assert.deepEqual(written, ["a"]);
});

test("much is not held back", () => {
  add("x".repeat(300 * 1024));
  assert.equal(written.length, 1);
});

test("a chunk of an answer that is under way goes out in one piece", () => {
  const socket = { write: (bytes: Buffer) => written.push(bytes.toString()), writableLength: 0 };
  const response = { socket, chunkedEncoding: true, headersSent: true, write: () => assert.fail("in pieces") };
  lines = new BatchedLines(response as unknown as ServerResponse);
  add("a line\n", "another, with ü\n");
  lines.flush();
  assert.deepEqual(written, ["18\r\na line\nanother, with ü\n\r\n"]);
});
