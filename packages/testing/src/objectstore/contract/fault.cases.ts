import { describe, expect, test } from "vitest";
import { bytesOf, content, digest, digestOfContent, storeErrorOf, text } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";
import { CALLS } from "./refusal.cases.ts";

const ALWAYS = Number.POSITIVE_INFINITY;
const BUSY = { status: 503 };

export function faultCases(context: ContractContext): void {
  const { harness, open, aKey, anObject } = context;
  const several = harness.severalPartsBytes;

  describe("a server that is busy", () => {
    const resumable = Object.entries(CALLS).filter(([name]) => harness.resumesPuts || !name.startsWith("put"));
    test.each(resumable)("is asked again: %s", async (_, call) => {
      const store = await open();
      const key = await anObject(store, 10);
      context.server.faults.answer({ ...BUSY, times: 2 });
      await expect(call(store, key)).resolves.not.toThrow();
    });

    test.each(Object.entries(CALLS))("for too long is 'unavailable': %s", async (_, call) => {
      const store = await open("good", { attempts: 2 });
      context.server.faults.answer({ ...BUSY, times: ALWAYS });
      const error = await storeErrorOf(call(store, aKey()));
      expect(error.code).toBe("unavailable");
      expect(error.isTransient).toBe(true);
    });
  });

  describe("a download", () => {
    test.each([0, 1, 65_536, 1_000_003])("that breaks once after %i bytes is resumed", async (afterBytes) => {
      const store = await open();
      const key = await anObject(store, several);
      context.server.faults.cutResponses({ afterBytes, times: 1 });
      expect(await digest(store.get(key))).toBe(await digestOfContent(several));
    });

    test("that breaks again and again goes on as long as it gets on", async () => {
      const store = await open("good", { attempts: 2 });
      const key = await anObject(store, 3_000_000);
      context.server.faults.cutResponses({ afterBytes: 250_000, times: ALWAYS });
      expect(await digest(store.get(key))).toBe(await digestOfContent(3_000_000));
    });

    test("of a range that breaks is resumed within the range", async () => {
      const store = await open();
      const key = await anObject(store, 1_000_000);
      context.server.faults.cutResponses({ afterBytes: 100_000, times: 2 });
      const part = await bytesOf(store.get(key, { offset: 300_000, length: 400_000 }));
      expect(part.equals((await bytesOf(content(1_000_000))).subarray(300_000, 700_000))).toBe(true);
    });

    test("that does not get on is 'unavailable'", async () => {
      const store = await open("good", { attempts: 2 });
      const key = await anObject(store, 100_000);
      context.server.faults.cutResponses({ afterBytes: 0, times: ALWAYS });
      expect((await storeErrorOf(bytesOf(store.get(key)))).code).toBe("unavailable");
    });

    test("whose server falls silent is resumed", async () => {
      const store = await open("good", { idleTimeoutMs: 300 });
      const key = await anObject(store, several);
      context.server.faults.stallResponses({ afterBytes: 500_000, times: 1 });
      expect(await digest(store.get(key))).toBe(await digestOfContent(several));
    });

    test("of an object that was replaced meanwhile is 'corrupt', never a mixture", async () => {
      const store = await open();
      const key = await anObject(store, several);
      context.server.faults.cutResponses({ afterBytes: several - 100, times: 1 });
      const read = async () => {
        let isReplaced = false;
        for await (const _ of store.get(key)) {
          if (!isReplaced) await (await open()).put(key, content(several, 2));
          isReplaced = true;
        }
      };
      expect((await storeErrorOf(read())).code).toBe("corrupt");
    });
  });

  describe("an upload", () => {
    // Above the size of what merely asks for something, so that cleaning up gets through.
    const points = [4_000, 100_000, 1_000_003];
    test.runIf(harness.resumesPuts).each(points)("that breaks after %i bytes goes on", async (afterBytes) => {
      const store = await open();
      const key = aKey();
      context.server.faults.cutRequests({ afterBytes, times: 2 });
      await store.put(key, content(several));
      expect(await digest(store.get(key))).toBe(await digestOfContent(several));
      expect(await context.server.leftovers()).toEqual([]);
    });

    const hopeless = points.filter((point) => point < (harness.keptOfBrokenBytes ?? ALWAYS));
    test.each(hopeless)(
      "that always breaks after %i bytes is 'unavailable', and leaves nothing",
      async (afterBytes) => {
        const store = await open("good", { attempts: 2 });
        const key = aKey();
        context.server.faults.cutRequests({ afterBytes, times: ALWAYS });
        expect((await storeErrorOf(store.put(key, content(several)))).code).toBe("unavailable");
        expect(await store.stat(key)).toBeUndefined();
        expect(await context.server.leftovers()).toEqual([]);
      },
    );

    test("whose server falls silent is noticed", async () => {
      const store = await open("good", { idleTimeoutMs: 500, attempts: 2 });
      const key = aKey();
      context.server.faults.stallRequests({ afterBytes: 100_000, times: ALWAYS });
      expect((await storeErrorOf(store.put(key, content(several)))).code).toBe("unavailable");
      context.server.faults.clear();
      expect(await store.stat(key)).toBeUndefined();
    });
  });

  describe("a server that is slow", () => {
    test("is not taken for a dead one by a download", async () => {
      const store = await open("good", { idleTimeoutMs: 3_000, attempts: 1 });
      const key = await anObject(store, 1_000_000);
      // All of it takes longer than that.
      context.server.faults.slow(250_000);
      expect(await digest(store.get(key))).toBe(await digestOfContent(1_000_000));
    });

    // More patience than for a download: most of it waits in buffers of the kernel, where its progress is not visible.
    test("is not taken for a dead one by an upload", async () => {
      const store = await open("good", { idleTimeoutMs: 15_000, attempts: 1 });
      const key = aKey();
      context.server.faults.slow(1_000_000);
      await store.put(key, content(1_500_000));
      expect(await store.stat(key)).toMatchObject({ sizeBytes: 1_500_000 });
    });
  });

  test("a server that falls silent before it answers is 'unavailable'", async () => {
    const store = await open("good", { idleTimeoutMs: 200, attempts: 2 });
    const key = await anObject(store, 100);
    context.server.faults.stallResponses({ afterBytes: 0, times: ALWAYS });
    expect((await storeErrorOf(store.stat(key))).code).toBe("unavailable");
    expect((await storeErrorOf(bytesOf(store.get(key)))).code).toBe("unavailable");
    expect((await storeErrorOf(store.put(key, text("x")))).code).toBe("unavailable");
  });
}
