import { bytesOf, storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { ObjectStoreError } from "./object-store-error.ts";
import { type OpenRange, type RangeSource, resumedGet } from "./resumed-get.ts";

const TUNING = { attempts: 2, firstRetryMs: 1, idleTimeoutMs: 60_000 };
const WHOLE = Buffer.from("0123456789");

/** Serves the digits; each answer in turn breaks, or ends, after so many of them. */
function digits(...ends: readonly { readonly after: number; readonly how: "throws" | "ends" | "hangs" }[]) {
  const asked: Omit<OpenRange, "signal">[] = [];
  const open = async ({ offset, length, version, signal }: OpenRange) => {
    const end = ends[asked.length];
    asked.push({ offset, length, version });
    const bytes = WHOLE.subarray(offset, length === undefined ? undefined : offset + length);
    async function* body() {
      yield bytes.subarray(0, end?.after);
      if (end?.how === "throws") throw new Error("socket hang up");
      if (end?.how === "hangs") {
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
      }
    }
    return { body: body(), sizeBytes: bytes.length, version: "v1" };
  };
  return { asked, source: { operation: "get test 'key'", open } satisfies RangeSource };
}

describe("resumedGet", () => {
  test.each(["throws", "ends"] as const)("goes on behind what it has when a body %s too early", async (how) => {
    const { asked, source } = digits({ after: 4, how });
    expect((await bytesOf(resumedGet(source, {}, TUNING))).toString()).toBe("0123456789");
    expect(asked).toEqual([
      { offset: 0, length: undefined, version: undefined },
      { offset: 4, length: undefined, version: "v1" },
    ]);
  });

  test("asks for the rest of a range, and only for that", async () => {
    const { asked, source } = digits({ after: 2, how: "throws" });
    expect((await bytesOf(resumedGet(source, { offset: 3, length: 5 }, TUNING))).toString()).toBe("34567");
    expect(asked.at(-1)).toEqual({ offset: 5, length: 3, version: "v1" });
  });

  test("goes on as often as it takes while it gets on", async () => {
    const { asked, source } = digits(...Array.from({ length: 9 }, () => ({ after: 1, how: "throws" }) as const));
    expect((await bytesOf(resumedGet(source, {}, TUNING))).toString()).toBe("0123456789");
    expect(asked).toHaveLength(10);
  });

  test("gives up when it does not get on", async () => {
    const { asked, source } = digits(...Array.from({ length: 9 }, () => ({ after: 0, how: "throws" }) as const));
    const error = await storeErrorOf(bytesOf(resumedGet(source, {}, TUNING)));
    expect(error.code).toBe("unavailable");
    expect(asked).toHaveLength(2);
  });

  test("goes on when the server falls silent", async () => {
    const { source } = digits({ after: 4, how: "hangs" });
    const read = bytesOf(resumedGet(source, {}, { ...TUNING, idleTimeoutMs: 10 }));
    expect((await read).toString()).toBe("0123456789");
  });

  test("does not take a slow reader for a silent server", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { asked, source } = digits();
    for await (const _ of resumedGet(source, {}, TUNING)) vi.advanceTimersByTime(10 * TUNING.idleTimeoutMs);
    expect(asked).toHaveLength(1);
  });

  test("asks for nothing when nothing is wanted", async () => {
    const { asked, source } = digits();
    expect(await bytesOf(resumedGet(source, { length: 0 }, TUNING))).toHaveLength(0);
    expect(asked).toEqual([]);
  });

  test("gives nothing of an object that ends before the range begins", async () => {
    const source = { operation: "get", open: async () => undefined };
    expect(await bytesOf(resumedGet(source, { offset: 99 }, TUNING))).toHaveLength(0);
  });

  test("ends in the store's own error at once where trying again is pointless", async () => {
    let count = 0;
    const open = async () => {
      count += 1;
      throw new ObjectStoreError("corrupt", { operation: "get", message: "replaced meanwhile" });
    };
    expect((await storeErrorOf(bytesOf(resumedGet({ operation: "get", open }, {}, TUNING)))).code).toBe("corrupt");
    expect(count).toBe(1);
  });

  test("is called off between two chunks, too", async () => {
    const controller = new AbortController();
    const { source } = digits();
    const read = async () => {
      for await (const _ of resumedGet(source, { signal: controller.signal }, TUNING)) controller.abort();
    };
    expect((await storeErrorOf(read())).code).toBe("aborted");
  });

  test("ends the request of a reader who leaves", async () => {
    let signal: AbortSignal | undefined;
    const { source } = digits({ after: 1, how: "hangs" });
    const open = (range: OpenRange) => {
      signal = range.signal;
      return source.open(range);
    };
    for await (const _ of resumedGet({ ...source, open }, {}, TUNING)) break;
    expect(signal?.aborted).toBe(true);
  });
});
