import { describe, expect, test } from "vitest";
import { AccessTokens } from "./access-tokens.ts";

const { signal } = new AbortController();

/** Gives out 1, 2, 3 …, good for so long. */
function counting(lifetimeMs: number) {
  let count = 0;
  const fetch = async () => {
    count += 1;
    return { token: String(count), expiresAtMs: Date.now() + lifetimeMs };
  };
  return { identity: "the test", fetch };
}

describe("AccessTokens", () => {
  test("keep a token that is good for long", async () => {
    const tokens = new AccessTokens(counting(3_600_000));
    expect([await tokens.current(signal), await tokens.current(signal)]).toEqual(["1", "1"]);
  });

  test("fetch another before one ends", async () => {
    const tokens = new AccessTokens(counting(60_000));
    expect([await tokens.current(signal), await tokens.current(signal)]).toEqual(["1", "2"]);
  });

  test("fetch one for all who ask at the same time", async () => {
    const tokens = new AccessTokens(counting(3_600_000));
    expect(await Promise.all([1, 2, 3].map(() => tokens.current(signal)))).toEqual(["1", "1", "1"]);
  });

  test("fetch another when one is not accepted any more", async () => {
    const tokens = new AccessTokens(counting(3_600_000));
    tokens.drop(await tokens.current(signal));
    expect(await tokens.current(signal)).toBe("2");
    tokens.drop("1");
    expect(await tokens.current(signal)).toBe("2");
  });

  test("fetch again after a failure", async () => {
    let count = 0;
    const fetch = async () => {
      count += 1;
      if (count === 1) throw new Error("not now");
      return { token: "good", expiresAtMs: Number.POSITIVE_INFINITY };
    };
    const tokens = new AccessTokens({ identity: "the test", fetch });
    await expect(tokens.current(signal)).rejects.toThrow("not now");
    expect(await tokens.current(signal)).toBe("good");
  });

  test("do not hold who no longer wants to wait", async () => {
    const tokens = new AccessTokens({ identity: "the test", fetch: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const waiting = tokens.current(controller.signal);
    controller.abort(new Error("called off"));
    await expect(waiting).rejects.toThrow("called off");
  });
});
