import { describe, expect, test } from "vitest";
import { bytesOf, content, digest, digestOfContent, storeErrorOf } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

export function readCases({ harness, open, aKey, anObject }: ContractContext): void {
  const size = 200_000;

  describe("get", () => {
    test.each([
      ["from an offset to the end", { offset: 150_001 }, 150_001, size],
      ["so many bytes from the beginning", { length: 70_000 }, 0, 70_000],
      ["so many bytes from an offset", { offset: 99, length: 4_096 }, 99, 4_195],
      ["the last byte", { offset: size - 1, length: 1 }, size - 1, size],
      ["less than asked for when the object is shorter", { offset: size - 10, length: 50 }, size - 10, size],
      ["nothing when nothing is asked for", { offset: 5, length: 0 }, 5, 5],
      ["nothing from the end on", { offset: size }, size, size],
      ["nothing from behind the end", { offset: size + 1_000, length: 10 }, size, size],
    ])("gives %s", async (_, range, from, to) => {
      const store = await open();
      const key = await anObject(store, size);
      const whole = await bytesOf(content(size));
      expect((await bytesOf(store.get(key, range))).equals(whole.subarray(from, to))).toBe(true);
    });

    test("gives nothing of an empty object, wherever it is asked to begin", async () => {
      const store = await open();
      const key = await anObject(store, 0);
      expect(await bytesOf(store.get(key, { offset: 0, length: 100 }))).toHaveLength(0);
      expect(await bytesOf(store.get(key, { offset: 7 }))).toHaveLength(0);
    });

    test("left half-way leaves the store in order", async () => {
      const store = await open();
      const key = await anObject(store, harness.severalPartsBytes);
      for (let n = 0; n < 60; n += 1) {
        for await (const chunk of store.get(key)) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
      }
      expect(await digest(store.get(key))).toBe(await digestOfContent(harness.severalPartsBytes));
    });

    test("of nothing is 'not-found', and names the key", async () => {
      const store = await open();
      const key = aKey("never there");
      const error = await storeErrorOf(bytesOf(store.get(key)));
      expect(error.code).toBe("not-found");
      expect(error.message).toContain(key);
      expect((await storeErrorOf(bytesOf(store.get(key, { offset: 10, length: 5 })))).code).toBe("not-found");
    });
  });

  test("stat of nothing is undefined", async () => {
    const store = await open();
    expect(await store.stat(aKey("never there"))).toBeUndefined();
  });
}
