import { bytesOf, content, storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { type Part, PartReader, type PartReaderOptions } from "./part-reader.ts";

function reader(source: AsyncIterable<Uint8Array>, options: Partial<PartReaderOptions> = {}): PartReader {
  return new PartReader(source, { operation: "put test 'key'", partBytes: () => 100_000, ...options });
}

async function all(parts: PartReader): Promise<Part[]> {
  const found: Part[] = [];
  for (let part = await parts.next(); part; part = await parts.next()) found.push(part);
  return found;
}

async function* endless(closed: () => void = () => undefined): AsyncGenerator<Uint8Array> {
  try {
    for (;;) yield Buffer.alloc(10_000);
  } finally {
    closed();
  }
}

describe("PartReader", () => {
  test.each([1, 99_999, 100_000, 100_001, 200_000, 1_234_567])(
    "cuts %i bytes into parts without loss",
    async (size) => {
      const parts = await all(reader(content(size)));
      expect(Buffer.concat(parts.map(({ bytes }) => bytes)).equals(await bytesOf(content(size)))).toBe(true);
      expect(parts.map(({ index }) => index)).toEqual(parts.map((_, n) => n));
      expect(parts.map(({ offset }) => offset)).toEqual(parts.map((_, n) => n * 100_000));
      expect(parts.slice(0, -1).every(({ bytes }) => bytes.length === 100_000)).toBe(true);
      expect(parts.map(({ isLast }) => isLast)).toEqual(parts.map((_, n) => n === parts.length - 1));
    },
  );

  test("gives one empty part of an empty source", async () => {
    expect(await all(reader(content(0)))).toMatchObject([
      { index: 0, offset: 0, bytes: Buffer.alloc(0), isLast: true },
    ]);
  });

  test("cuts parts of growing sizes", async () => {
    const parts = await all(reader(content(70), { partBytes: (index) => 10 * 2 ** index }));
    expect(parts.map(({ bytes }) => bytes.length)).toEqual([10, 20, 40]);
  });

  test("does not keep the source's buffers, which it may use again", async () => {
    const buffer = Buffer.alloc(60_000);
    async function* source() {
      for (let n = 1; n <= 4; n += 1) yield buffer.fill(n);
    }
    const parts = await all(reader(source()));
    const whole = Buffer.concat(parts.map(({ bytes }) => bytes));
    expect([0, 60_000, 120_000, 180_000].map((at) => [whole[at], whole[at + 59_999]])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
      [4, 4],
    ]);
  });

  test("uses the memory of parts that were given back", async () => {
    const parts = reader(endless());
    const first = await parts.next();
    if (first) parts.release(first);
    const second = await parts.next();
    const third = await parts.next();
    expect(second?.bytes.buffer).toBe(first?.bytes.buffer);
    expect(third?.bytes.buffer).not.toBe(first?.bytes.buffer);
    await parts.close();
  });

  test("lets go of its source when it is closed", async () => {
    let isClosed = false;
    const parts = reader(endless(() => (isClosed = true)));
    await parts.next();
    await parts.close();
    expect(isClosed).toBe(true);
    expect(await parts.next()).toBeUndefined();
  });

  test("does not wait for a source that hangs", async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      await new Promise(() => undefined);
    }
    const controller = new AbortController();
    const parts = reader(source(), { signal: controller.signal });
    const next = storeErrorOf(parts.next());
    setImmediate(() => controller.abort());
    expect((await next).code).toBe("aborted");
    await parts.close();
  });

  test("passes on what the source throws, as it is", async () => {
    const failure = new Error("the source is broken");
    async function* source() {
      yield* content(150_000);
      throw failure;
    }
    const parts = reader(source());
    await parts.next();
    await expect(parts.next()).rejects.toBe(failure);
    await parts.close();
  });

  test("is canceled by the callback for the last byte", async () => {
    const controller = new AbortController();
    const onProgress = (bytes: number) => bytes === 1_000 && controller.abort();
    const parts = reader(content(1_000), { signal: controller.signal, onProgress });
    expect((await storeErrorOf(parts.next())).code).toBe("aborted");
  });
});
