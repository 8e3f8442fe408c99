import assert from "node:assert/strict";
import { test } from "vitest";
import { Happening } from "../happening.ts";
import { cutOff } from "./cut-off.ts";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";

test("a watch is cut off after so many events, which is counted once for each watch", () => {
  const cuts = new Happening("a watch was cut off");
  const stage = cutOff(2, "ends", cuts.note);
  const [first, second] = [new LinesTold(stage), new LinesTold(stage)];
  for (const { into } of [first, second]) {
    into.line(anEvent("a", 1));
    into.line(aBookmark(2));
  }
  assert.equal(cuts.times, 0);
  for (const revision of [3, 4]) first.into.line(anEvent("a", revision));
  assert.equal(cuts.times, 1);
  assert.deepEqual(first.told.slice(0, 4), ["MODIFIED a 1", "BOOKMARK", "MODIFIED a 3", "end"]);
  second.into.line(anEvent("b", 5));
  assert.equal(cuts.times, 2);
});

test("one that expires says so before it ends", () => {
  const { into, told } = new LinesTold(cutOff(1, "expires"));
  into.line(anEvent("a", 1));
  assert.deepEqual(told, ["MODIFIED a 1", "ERROR", "end"]);
});
