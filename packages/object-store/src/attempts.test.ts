import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { Attempts, attempted } from "./attempts.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "./object-store-error.ts";

const SOON = { attempts: 3, firstRetryMs: 1 };
const failure = (code: ObjectStoreErrorCode) => new ObjectStoreError(code, { operation: "test", message: "failed" });

/** Fails in these ways, one after another, and then succeeds. */
function failing(...codes: readonly ObjectStoreErrorCode[]) {
  const calls = { count: 0 };
  const run = async () => {
    const code = codes[calls.count];
    calls.count += 1;
    if (code) throw failure(code);
    return "done";
  };
  return { calls, run };
}

describe("attempted", () => {
  test("tries again what may succeed later", async () => {
    const { calls, run } = failing("unavailable", "unavailable");
    expect(await attempted(run, SOON, undefined)).toBe("done");
    expect(calls.count).toBe(3);
  });

  test("gives up after as many attempts as it has", async () => {
    const { calls, run } = failing("unavailable", "unavailable", "unavailable", "unavailable");
    expect((await storeErrorOf(attempted(run, SOON, undefined))).code).toBe("unavailable");
    expect(calls.count).toBe(3);
  });

  test.each(["access-denied", "not-found", "full", "corrupt", "unknown", "aborted"] as const)(
    "does not try again what is '%s'",
    async (code) => {
      const { calls, run } = failing(code);
      expect((await storeErrorOf(attempted(run, SOON, undefined))).code).toBe(code);
      expect(calls.count).toBe(1);
    },
  );

  test("passes on errors that are not the store's", async () => {
    const surprise = new TypeError("surprise");
    await expect(attempted(() => Promise.reject(surprise), SOON, undefined)).rejects.toBe(surprise);
  });

  test("does not wait any longer once it is called off", async () => {
    const controller = new AbortController();
    const run = async () => {
      setImmediate(() => controller.abort());
      throw failure("unavailable");
    };
    const error = await storeErrorOf(attempted(run, { attempts: 9, firstRetryMs: 3_600_000 }, controller.signal));
    expect(error.code).toBe("aborted");
    expect(error.operation).toBe("test");
  });
});

test("failures before something got on do not count", async () => {
  const attempts = new Attempts({ attempts: 2, firstRetryMs: 1 }, undefined);
  for (let n = 0; n < 5; n += 1) {
    await attempts.failed(failure("unavailable"));
    attempts.progressed();
  }
  await attempts.failed(failure("unavailable"));
  expect((await storeErrorOf(attempts.failed(failure("unavailable")))).code).toBe("unavailable");
});
