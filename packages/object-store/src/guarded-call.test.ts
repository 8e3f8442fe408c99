import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { type GuardedCall, guardedCall } from "./guarded-call.ts";
import { ObjectStoreError } from "./object-store-error.ts";

const call = (more: Partial<GuardedCall> = {}): GuardedCall => ({
  operation: "stat test 'key'",
  tuning: { attempts: 2, firstRetryMs: 1, idleTimeoutMs: 60_000 },
  failure: (error) => new ObjectStoreError("unavailable", { operation: "stat test 'key'", message: String(error) }),
  ...more,
});

/** Does nothing until it is called off, as a server that says nothing. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("the library's own words for it")));
  });
}

describe("guardedCall", () => {
  test("gives the result, and ends the guard", async () => {
    let signal: AbortSignal | undefined;
    const result = await guardedCall(call(), async (guard) => {
      signal = guard.signal;
      return 42;
    });
    expect(result).toBe(42);
    expect(signal?.aborted).toBe(true);
  });

  test("tries again what failed for now", async () => {
    let count = 0;
    const run = async () => {
      count += 1;
      if (count === 1) throw new Error("busy");
      return count;
    };
    expect(await guardedCall(call(), run)).toBe(2);
  });

  test("says what the error means", async () => {
    const failure = () => new ObjectStoreError("access-denied", { operation: "x", message: "no" });
    const error = await storeErrorOf(guardedCall(call({ failure }), () => Promise.reject(new Error("403"))));
    expect(error.code).toBe("access-denied");
  });

  test("takes silence for a server that is unavailable", async () => {
    const tuning = { attempts: 2, firstRetryMs: 1, idleTimeoutMs: 10 };
    const error = await storeErrorOf(guardedCall(call({ tuning }), ({ signal }) => silence(signal)));
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("fell silent") });
  });

  test("ends when it is called off, whatever the library says then", async () => {
    const controller = new AbortController();
    const error = await storeErrorOf(
      guardedCall(call({ signal: controller.signal }), ({ signal }) => {
        setImmediate(() => controller.abort());
        return silence(signal);
      }),
    );
    expect(error.code).toBe("aborted");
  });

  test("does not begin when it was called off before", async () => {
    let hasBegun = false;
    const run = async () => {
      hasBegun = true;
    };
    const error = await storeErrorOf(guardedCall(call({ signal: AbortSignal.abort() }), run));
    expect(error.code).toBe("aborted");
    expect(hasBegun).toBe(false);
  });
});
