import { describe, expect, test } from "vitest";
import { bytesOf, content, digest, digestOfContent, storeErrorOf } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

export function cancelCases(context: ContractContext): void {
  const { harness, open, aKey, anObject } = context;
  const several = harness.severalPartsBytes;

  /** There is no such object, and nothing else either. */
  const expectNothingOf = async (key: string) => {
    expect(await (await open()).stat(key)).toBeUndefined();
    expect(await context.server.leftovers()).toEqual([]);
  };

  describe("a put that is cancelled", () => {
    test.each([1, several / 3, several])("after %i bytes leaves nothing", async (afterBytes) => {
      const store = await open();
      const key = aKey();
      const controller = new AbortController();
      const put = store.put(key, content(several), {
        signal: controller.signal,
        onProgress: (bytes) => bytes >= afterBytes && controller.abort(),
      });
      expect((await storeErrorOf(put)).code).toBe("aborted");
      await expectNothingOf(key);
    });

    test("before it begins reads nothing of its source", async () => {
      const store = await open();
      const key = aKey();
      let hasBegun = false;
      async function* source() {
        hasBegun = true;
        yield Buffer.from("x");
      }
      const error = await storeErrorOf(store.put(key, source(), { signal: AbortSignal.abort() }));
      expect(error.code).toBe("aborted");
      expect(hasBegun).toBe(false);
      await expectNothingOf(key);
    });

    test("while its source says nothing ends all the same", async () => {
      const store = await open();
      const key = aKey();
      const controller = new AbortController();
      async function* source() {
        yield* content(several);
        setTimeout(() => controller.abort(), 20);
        await new Promise(() => undefined);
      }
      const error = await storeErrorOf(store.put(key, source(), { signal: controller.signal }));
      expect(error.code).toBe("aborted");
      await expectNothingOf(key);
    });

    test("leaves the object that was there before", async () => {
      const store = await open();
      const key = await anObject(store, 1_000);
      const controller = new AbortController();
      const put = store.put(key, content(several, 2), {
        signal: controller.signal,
        onProgress: (bytes) => bytes >= several / 2 && controller.abort(),
      });
      expect((await storeErrorOf(put)).code).toBe("aborted");
      expect(await digest(store.get(key))).toBe(await digestOfContent(1_000));
      expect(await context.server.leftovers()).toEqual([]);
    });
  });

  describe("a put whose source throws", () => {
    test.each([0, 1, several])("after %i bytes ends in that error, and leaves nothing", async (bytes) => {
      const store = await open();
      const key = aKey();
      const failure = new Error("the source is broken");
      async function* source() {
        yield* content(bytes);
        throw failure;
      }
      await expect(store.put(key, source())).rejects.toBe(failure);
      await expectNothingOf(key);
    });
  });

  test("a put that fails closes its source", async () => {
    const store = await open("wrong-credentials");
    let hasEnded = false;
    async function* source() {
      try {
        yield* content(several * 10);
      } finally {
        hasEnded = true;
      }
    }
    expect((await storeErrorOf(store.put(aKey(), source()))).code).toBe("bad-credentials");
    expect(hasEnded).toBe(true);
  });

  describe("a get that is cancelled", () => {
    test("half-way is 'aborted'", async () => {
      const store = await open();
      const key = await anObject(store, several);
      const controller = new AbortController();
      const read = async () => {
        for await (const _ of store.get(key, { signal: controller.signal })) controller.abort();
      };
      expect((await storeErrorOf(read())).code).toBe("aborted");
    });

    test("while the server says nothing is 'aborted'", async () => {
      const store = await open();
      const key = await anObject(store, several);
      context.server.faults.stallResponses({ afterBytes: 1_000, times: Number.POSITIVE_INFINITY });
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 50);
      const error = await storeErrorOf(bytesOf(store.get(key, { signal: controller.signal })));
      expect(error.code).toBe("aborted");
    });
  });

  test.each(["stat", "delete"] as const)("a %s that is cancelled is 'aborted'", async (call) => {
    const store = await open();
    const key = await anObject(store, 1);
    expect((await storeErrorOf(store[call](key, { signal: AbortSignal.abort() }))).code).toBe("aborted");
    expect(await store.stat(key)).toMatchObject({ sizeBytes: 1 });
  });
}
