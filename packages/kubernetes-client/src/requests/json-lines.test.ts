import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { jsonLines } from "./json-lines.ts";

const bytes = Buffer.from('{"a":"grüße 🦀"}\n{"b":2}\n\n{"c":3}\n');

describe("a stream of JSON lines", () => {
  test("is the same however it is cut, also within a character", async () => {
    for (let size = 1; size <= bytes.length; size += 1) {
      assert.deepEqual(await all(cut(bytes, size)), [{ a: "grüße 🦀" }, { b: 2 }, { c: 3 }]);
    }
  });

  test("may have lines of megabytes", async () => {
    const large = { data: "é".repeat(1_500_000) };
    assert.deepEqual(await all(cut(Buffer.from(`${JSON.stringify(large)}\n`), 65_536)), [large]);
  });

  test("that ends within a line is an error, after the whole lines", async () => {
    const seen: unknown[] = [];
    await assert.rejects(async () => {
      for await (const line of jsonLines(cut(Buffer.from('{"a":1}\n{"b":'), 4))) seen.push(line);
    }, /ended within a line/);
    assert.deepEqual(seen, [{ a: 1 }]);
  });

  test("is asked for more only when its reader is", async () => {
    let given = 0;
    async function* counted() {
      for await (const chunk of cut(bytes, 4)) {
        given += 1;
        yield chunk;
      }
    }
    const lines = jsonLines(counted());
    await lines.next();
    assert.ok(given < bytes.length / 4 / 2 + 2, `took ${given} chunks for one line`);
    await lines.return();
  });
});

async function* cut(whole: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < whole.length; start += size) yield whole.subarray(start, start + size);
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<unknown[]> {
  const lines: unknown[] = [];
  for await (const line of jsonLines(chunks)) lines.push(line);
  return lines;
}
