import assert from "node:assert/strict";
import { constants, createDeflate } from "node:zlib";
import { test } from "vitest";
import { HeaderReader, HeaderWriter, spdyDictionary } from "./header-block.ts";

const first = new Map([
  ["streamtype", "error"],
  ["port", "8080"],
]);
const second = new Map([
  ["streamtype", "data"],
  ["port", "8080"],
]);

test("what is written is read, block after block", async () => {
  const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
  for (const headers of [first, second, new Map<string, string>()])
    assert.deepEqual(await reader.read(writer.write(headers)), headers);
  reader.close();
});

test("blocks that are compressed, each with the help of those before, are read", async () => {
  const deflate = createDeflate({ dictionary: spdyDictionary });
  const reader = new HeaderReader();
  const plain = new HeaderWriter();
  for (const [index, headers] of [first, second].entries()) {
    // Without the beginning of the first block, the frame of a stored one and its end.
    const bytes = plain.write(headers).subarray(index === 0 ? 11 : 5, -5);
    deflate.write(bytes);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    assert.deepEqual(await reader.read(deflate.read() as Buffer), headers);
  }
  reader.close();
});

test("a block that is no header is refused", async () => {
  const reader = new HeaderReader();
  await assert.rejects(reader.read(Buffer.from("nonsense")));
});
