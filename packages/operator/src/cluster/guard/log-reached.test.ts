import { describe, expect, test } from "vitest";
import { formatLogReached, isBehind, parseLogReached } from "./log-reached.ts";

describe("a log", () => {
  test.each([
    ["ends before what it had", { term: 2, index: 9 }, true],
    ["ends with what it had", { term: 2, index: 10 }, false],
    ["has got further", { term: 2, index: 11 }, false],
    ["was gone on with by a later leader, who had all that was agreed on", { term: 3, index: 4 }, false],
    ["is longer, by what an earlier leader wrote without a majority", { term: 1, index: 900 }, true],
    ["has nothing in it", { term: 0, index: 0 }, true],
  ])("that %s", (_, end, expected) => {
    expect(isBehind(end, { term: 2, index: 10 })).toBe(expected);
  });
});

describe("what is written down of a log", () => {
  const reached = { term: 2, index: 120, revision: 100, at: "2030-01-01T00:00:00Z" };

  test("is read back as it was", () => {
    expect(parseLogReached(formatLogReached(reached))).toEqual(reached);
  });

  test.each(["", "120", "null", "[]", "{", '{"term":2}', '{"term":2,"index":-1,"revision":1,"at":""}'])(
    "is nothing when it says '%s'",
    (text) => {
      expect(parseLogReached(text)).toBeUndefined();
    },
  );
});
