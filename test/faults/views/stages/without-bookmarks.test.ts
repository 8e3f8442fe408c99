import assert from "node:assert/strict";
import { test } from "vitest";
import { Happening } from "../happening.ts";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";
import { withoutBookmarks } from "./without-bookmarks.ts";

test("every bookmark that is left out is counted, and nothing else is left out", () => {
  const omissions = new Happening("a bookmark was left out");
  const { into, told } = new LinesTold(withoutBookmarks(omissions.note));
  into.line(anEvent("a", 1));
  assert.equal(omissions.times, 0);
  into.line(aBookmark(2));
  assert.equal(omissions.times, 1);
  assert.deepEqual(told, ["MODIFIED a 1"]);
});
