import assert from "node:assert/strict";
import { test } from "vitest";
import { Happening } from "../happening.ts";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";
import { shownUpTo } from "./shown-up-to.ts";

test("an event beyond the horizon is held back and counted, one within it is neither", () => {
  const holds = new Happening("an event was held back");
  const moved: (() => void)[] = [];
  const shown = { newest: 5n };
  const onChange = (listener: () => void) => {
    moved.push(listener);
    return () => undefined;
  };
  const horizon = { of: () => shown.newest, onChange };
  const { into, told } = new LinesTold(shownUpTo(horizon, holds.note));
  into.line(anEvent("a", 5));
  into.line(aBookmark(6));
  assert.equal(holds.times, 0);
  into.line(anEvent("b", 7));
  assert.equal(holds.times, 1);
  assert.deepEqual(told, ["MODIFIED a 5"]);
  shown.newest = 7n;
  for (const listener of moved) listener();
  assert.deepEqual(told, ["MODIFIED a 5", "BOOKMARK", "MODIFIED b 7"]);
  assert.equal(holds.times, 1);
});
