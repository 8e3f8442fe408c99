import type { ObjectStore } from "@etcd-operator/object-store";
import { describe, expect, test } from "vitest";
import { all, bytesOf, content, storeErrorOf, text } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

/** Each thing a store can be asked, for cases that hold for all of them. */
export const CALLS: Readonly<Record<string, (store: ObjectStore, key: string) => Promise<unknown>>> = {
  put: (store, key) => store.put(key, text("something")),
  "put of several parts": (store, key) => store.put(key, content(20_000_000)),
  get: (store, key) => bytesOf(store.get(key)),
  "ranged get": (store, key) => bytesOf(store.get(key, { offset: 1, length: 1 })),
  list: (store, key) => all(store.list(key)),
  delete: (store, key) => store.delete(key),
  stat: (store, key) => store.stat(key),
};

export function refusalCases(context: ContractContext): void {
  const { harness, open, aKey, anObject } = context;

  describe("with wrong credentials", () => {
    test.each(Object.entries(CALLS))("%s is 'bad-credentials', and says nothing secret", async (_, call) => {
      const key = await anObject(await open(), 10);
      const error = await storeErrorOf(call(await open("wrong-credentials"), key));
      expect(error.code).toBe("bad-credentials");
      expect(error.isTransient).toBe(false);
      expect(error.message).toContain(key);
      expect(everythingSaidBy(error)).not.toContain(context.server.canary);
    });
  });

  const because = harness.hasBuckets ? "" : " (skipped: this store has no buckets)";
  describe.runIf(harness.hasBuckets)(`with a bucket that is not there${because}`, () => {
    test.each(Object.entries(CALLS))("%s is 'no-such-bucket'", async (_, call) => {
      const error = await storeErrorOf(call(await open("missing-bucket"), aKey()));
      expect(error.code).toBe("no-such-bucket");
      expect(error.isTransient).toBe(false);
    });
  });

  describe("without a server", () => {
    test.each(Object.entries(CALLS))("%s is 'unavailable'", async (_, call) => {
      const error = await storeErrorOf(call(await open("unreachable", { attempts: 2 }), aKey()));
      expect(error.code).toBe("unavailable");
      expect(error.isTransient).toBe(true);
    });
  });

  describe("with no room left", () => {
    test("put is 'full'", async () => {
      const store = await open();
      context.server.faults.answer({ ...harness.fullAnswer, times: Number.POSITIVE_INFINITY });
      expect((await storeErrorOf(store.put(aKey(), text("something")))).code).toBe("full");
    });
  });

  test("the description names the place and nothing secret", async () => {
    const { description } = await open();
    expect(description).toMatch(/'.+'/);
    expect(description).not.toContain(context.server.canary);
  });
}

/** All that a caller could print of an error, its causes included. */
function everythingSaidBy(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  return [error.message, error.stack, JSON.stringify(error), everythingSaidBy(error.cause)].join("\n");
}
