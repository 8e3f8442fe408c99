import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  allAtOnce,
  anyBookmark,
  anyEvent,
  type ComesUp,
  changesWithin,
  eventInTime,
  eventsOnOneWatch,
  freshEvent,
  furtherPages,
  watchesBegunAnew,
} from "./comes-up.ts";
import type { ToldLine } from "./told.ts";

const DONE_MS = 100_000;
const bookmark = line({ object: undefined });

describe("what is wrong with every event comes up where there is one", () => {
  test("any", () => comesUp(anyEvent, [line()]));
  test("none but a bookmark", () => doesNot(anyEvent, [bookmark]));
});

describe("what is behind by revisions comes up where an event is sent while it is that new", () => {
  test("the newest", () => comesUp(freshEvent(1), [line({ newer: 3 }), line({ newer: 0 })]));
  test("older ones only", () => doesNot(freshEvent(3), [line({ newer: 3 }), line({ newer: 4 })]));
});

describe("what needs several events needs them on one watch", () => {
  test("enough", () => comesUp(eventsOnOneWatch(2), [line(), line({ watch: 2 }), line()]));
  test("too few on each", () => doesNot(eventsOnOneWatch(2), [line(), line({ watch: 2 }), bookmark]));
});

describe("bookmarks can be left out where there are any", () => {
  test("one", () => comesUp(anyBookmark, [line(), bookmark]));
  test("none", () => doesNot(anyBookmark, [line()]));
});

describe("a refusal of a request that is retried shows where the retry comes before all is done", () => {
  test("in time", () => comesUp(eventInTime, [line({ atMs: DONE_MS - 1_000 })]));
  test("too late", () => doesNot(eventInTime, [line({ atMs: DONE_MS - 900 })]));
});

describe("events become one where objects change more than once in half of the window, and not just twice", () => {
  const changes = (...atMs: readonly number[]) => atMs.map((each) => line({ atMs: each }));
  test("often enough", () => comesUp(changesWithin(1_000), changes(0, 500, 1_000, 1_500)));
  test("too rarely", () => doesNot(changesWithin(1_000), changes(0, 500, 1_000)));
  test("too slowly", () => doesNot(changesWithin(1_000), changes(0, 600, 1_200, 1_800)));
  test("of what the operator alone writes to", () => {
    const own = [0, 500, 1_000, 1_500].map((atMs) => line({ plural: "etcdbackups", atMs }));
    doesNot(changesWithin(1_000), own);
  });
  test("each another object", () => {
    const others = ["a", "b", "c", "d"].map((object) => line({ object }));
    doesNot(changesWithin(1_000), others);
  });
  test("each on another watch", () => {
    const others = [1, 2, 3, 4].map((watch) => line({ watch }));
    doesNot(changesWithin(1_000), others);
  });
});

describe("watches expire where more than enough are started again", () => {
  const events = (count: number) => Array.from({ length: count }, () => line());
  test("the first of them: one is enough", () => comesUp(watchesBegunAnew(1, 2), events(2)));
  test("the second: three are", () => comesUp(watchesBegunAnew(2, 2), events(6)));
  test("the second: two are not", () => doesNot(watchesBegunAnew(2, 2), events(5)));
});

describe("pages expire where there are more than enough objects when watches have", () => {
  const cut = (objects: number, atMs = 0) => [line({ objects, atMs }), line({ objects, atMs })];
  test("three objects have two further pages", () => comesUp(furtherPages(1, 2), cut(3)));
  test("two objects have one", () => doesNot(furtherPages(1, 2), cut(2)));
  test("two lists of two have two", () => comesUp(furtherPages(1, 2), [...cut(2), ...cut(2)]));
  test("too late", () => doesNot(furtherPages(1, 2), cut(5, DONE_MS)));
});

describe("several at once come up where each does in the first half", () => {
  const both = allAtOnce([anyEvent, anyBookmark]);
  test("each", () => comesUp(both, [line(), bookmark, line(), line()]));
  test("one too late", () => doesNot(both, [line(), line(), bookmark, line()]));
});

function comesUp(rule: ComesUp, lines: readonly ToldLine[]): void {
  assert.ok(rule({ lines, doneMs: DONE_MS }));
}

function doesNot(rule: ComesUp, lines: readonly ToldLine[]): void {
  assert.ok(!rule({ lines, doneMs: DONE_MS }));
}

function line(given: Partial<ToldLine> = {}): ToldLine {
  return { watch: 1, plural: "pods", object: "tests/a", atMs: 0, newer: 0, objects: 1, ...given };
}
