import { describe, expect, test } from "vitest";
import { all, bytesOf, content, digest, digestOfContent, text } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

export function writeCases({ harness, open, aKey, anObject }: ContractContext): void {
  const { severalPartsBytes: several } = harness;

  describe("put", () => {
    test.each([0, 1, 65_537, several, several + 1])("stores %i bytes, and they come back the same", async (size) => {
      const store = await open();
      const key = aKey();
      const stored = await store.put(key, content(size));
      expect(stored).toMatchObject({ key, sizeBytes: size });
      expect(stored.modifiedAtMs).toBeGreaterThan(0);
      expect(await store.stat(key)).toMatchObject({ key, sizeBytes: size });
      expect(await digest(store.get(key))).toBe(await digestOfContent(size));
    });

    test("replaces the object under the key", async () => {
      const store = await open();
      const key = await anObject(store, several);
      await store.put(key, text("shorter"));
      expect((await bytesOf(store.get(key))).toString()).toBe("shorter");
      expect(await all(store.list(key))).toMatchObject([{ key, sizeBytes: 7 }]);
    });

    test("takes a source that yields empty chunks", async () => {
      const store = await open();
      const key = aKey();
      async function* source() {
        for (const word of ["", "a", "", "", "b", ""]) yield Buffer.from(word);
      }
      await store.put(key, source());
      expect((await bytesOf(store.get(key))).toString()).toBe("ab");
    });

    test("takes a source that uses its buffer again", async () => {
      const store = await open();
      const key = aKey();
      const buffer = Buffer.alloc(100_000);
      const count = Math.ceil(several / buffer.length);
      async function* source() {
        for (let n = 0; n < count; n += 1) yield buffer.fill(n);
      }
      await store.put(key, source());
      const back = await bytesOf(store.get(key));
      const wrong = Array.from({ length: count }, (_, n) => n).filter((n) => back[n * buffer.length] !== n % 256);
      expect(wrong).toEqual([]);
    });

    test.each([1, several * 3])("takes a guess of %i bytes that is wrong", async (expectedBytes) => {
      const store = await open();
      const key = aKey();
      await store.put(key, content(several), { expectedBytes });
      expect(await digest(store.get(key))).toBe(await digestOfContent(several));
    });

    test("reports its progress", async () => {
      const store = await open();
      const seen: number[] = [];
      await store.put(aKey(), content(several), { onProgress: (bytes) => seen.push(bytes) });
      expect(seen.at(-1)).toBe(several);
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(seen.length).toBeGreaterThan(2);
    });

    test("does several at once", async () => {
      const store = await open();
      const keys = await Promise.all([1, 2, 3, 4].map((seed) => anObject(store, 300_000, seed)));
      const digests = await Promise.all(keys.map((key) => digest(store.get(key))));
      expect(digests).toEqual(await Promise.all([1, 2, 3, 4].map((seed) => digestOfContent(300_000, seed))));
    });
  });

  describe("delete", () => {
    test("takes the object away, and only it", async () => {
      const store = await open();
      const key = aKey();
      await store.put(key, text("a"));
      await store.put(`${key}.metadata.json`, text("b"));
      await store.delete(key);
      expect(await store.stat(key)).toBeUndefined();
      expect((await all(store.list(key))).map((object) => object.key)).toEqual([`${key}.metadata.json`]);
    });

    test("of nothing does nothing", async () => {
      const store = await open();
      await expect(store.delete(aKey("never there"))).resolves.toBeUndefined();
    });
  });
}
