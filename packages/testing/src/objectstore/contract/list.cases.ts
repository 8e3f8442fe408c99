import type { ObjectStore } from "@etcd-operator/object-store";
import { describe, expect, test } from "vitest";
import { all, storeErrorOf, text } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

export function listCases({ open, aKey }: ContractContext): void {
  describe("list", () => {
    test("gives more than a thousand objects, each once, and can be left half-way", async () => {
      const store = await open();
      const prefix = aKey("many");
      const keys = Array.from({ length: 1_100 }, (_, n) => `${prefix}/nightly_v${n}_2030-01-01-00:00:00`);
      await putAll(store, keys);
      const found = (await all(store.list(prefix))).map((object) => object.key);
      expect(found.sort()).toEqual(keys.sort());
      for await (const { key } of store.list(prefix)) {
        expect(key.startsWith(prefix)).toBe(true);
        break;
      }
    });

    test("takes the prefix as the beginning of the key, not as a folder", async () => {
      const store = await open();
      const prefix = aKey("a");
      await putAll(store, [`${prefix}`, `${prefix}b`, `${prefix}b-c/d/e`, `${prefix.slice(0, -1)}x`]);
      const found = (await all(store.list(prefix))).map((object) => object.key);
      expect(found.sort()).toEqual([`${prefix}`, `${prefix}b`, `${prefix}b-c/d/e`]);
    });

    test("reports sizes and times", async () => {
      const store = await open();
      const key = aKey();
      const stored = await store.put(key, text("seven b"));
      const [listed] = await all(store.list(key));
      expect(listed).toMatchObject({ key, sizeBytes: 7 });
      // Some answers carry whole seconds only.
      expect(Math.abs((listed?.modifiedAtMs ?? 0) - stored.modifiedAtMs)).toBeLessThan(2_000);
    });

    test("gives nothing when no key begins so", async () => {
      const store = await open();
      expect(await all(store.list(aKey("absent")))).toEqual([]);
    });

    test("stops when it is cancelled", async () => {
      const store = await open();
      const prefix = aKey("called off");
      await putAll(store, [`${prefix}/1`, `${prefix}/2`]);
      const error = await storeErrorOf(all(store.list(prefix, { signal: AbortSignal.abort() })));
      expect(error.code).toBe("aborted");
    });
  });
}

async function putAll(store: ObjectStore, keys: readonly string[]): Promise<void> {
  const left = [...keys];
  const worker = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await store.put(key, text(""));
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
