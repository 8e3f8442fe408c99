import assert from "node:assert/strict";
import { test } from "vitest";
import { Happening } from "../happening.ts";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";
import { repeated } from "./repeated.ts";

test("an event comes again when so many newer ones have come, and is counted then", () => {
  const repeats = new Happening("an event was repeated");
  const { into, told } = new LinesTold(repeated(1, repeats.note));
  into.line(anEvent("a", 1));
  into.line(aBookmark(2));
  assert.equal(repeats.times, 0);
  into.line(anEvent("b", 3));
  assert.equal(repeats.times, 1);
  assert.deepEqual(told, ["MODIFIED a 1", "BOOKMARK", "MODIFIED b 3", "MODIFIED a 1"]);
});

test("of each watch only its own events count", () => {
  const repeats = new Happening("an event was repeated");
  const stage = repeated(1, repeats.note);
  for (const revision of [1, 2, 3]) new LinesTold(stage).into.line(anEvent("a", revision));
  assert.equal(repeats.times, 0);
});
