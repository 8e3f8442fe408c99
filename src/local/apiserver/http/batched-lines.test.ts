import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { beforeEach, test } from "vitest";
import { until } from "../../../../test/support/kube/until.ts";
import { BatchedLines } from "./batched-lines.ts";

let written: string[];
let lines: BatchedLines;
let pace: { isBusy: boolean };

beforeEach(() => {
  written = [];
  const response = { write: (bytes: Buffer) => written.push(bytes.toString()), writableLength: 0 };
  pace = { isBusy: true };
  lines = new BatchedLines(response as unknown as ServerResponse, pace);
});

const add = (...texts: readonly string[]) => {
  for (const text of texts) lines.add(Buffer.from(text));
};
const nextTick = () => new Promise<void>((resolve) => process.nextTick(resolve));

test("after a quiet while, lines of one moment go out together and at once", async () => {
  add("a", "b");
  await nextTick();
  assert.deepEqual(written, ["ab"]);
});

test("while little happens nothing waits", async () => {
  pace.isBusy = false;
  for (const text of ["a", "b", "c"]) {
    add(text);
    await nextTick();
  }
  assert.deepEqual(written, ["a", "b", "c"]);
});

test("while much happens what follows closely gathers, and comes in order", async () => {
  add("a");
  await nextTick();
  add("b");
  await nextTick();
  add("c");
  assert.deepEqual(written, ["a"]);
  await until(() => written.length > 1, { what: "the rest", everyMs: 1 });
  assert.deepEqual(written, ["a", "bc"]);
});

test("a flush sends what has gathered, and nothing is sent twice", async () => {
  add("a");
  await nextTick();
  add("b");
  lines.flush();
  assert.deepEqual(written, ["a", "b"]);
  add("c");
  await until(() => written.length > 2, { what: "the last line", everyMs: 1 });
  assert.deepEqual(written, ["a", "b", "c"]);
});

test("much is not held back", () => {
  add("x".repeat(300 * 1024));
  assert.equal(written.length, 1);
});

test("a chunk of an answer that is under way goes out in one piece", () => {
  const socket = { write: (bytes: Buffer) => written.push(bytes.toString()), writableLength: 0 };
  const response = { socket, chunkedEncoding: true, headersSent: true, write: () => assert.fail("in pieces") };
  lines = new BatchedLines(response as unknown as ServerResponse, pace);
  add("a line\n", "another, with ü\n");
  lines.flush();
  assert.deepEqual(written, ["18\r\na line\nanother, with ü\n\r\n"]);
});
