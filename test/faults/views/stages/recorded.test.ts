import assert from "node:assert/strict";
import { test } from "vitest";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";
import { Recorded } from "./recorded.ts";

test("what is sent between the beginning and the end is written down, for each watch by itself", () => {
  const recorded = new Recorded(() => 10n);
  const [first, second] = [new LinesTold(recorded.stage), new LinesTold(recorded.stage)];
  first.into.line(anEvent("a", 1, "ADDED"));
  recorded.begin();
  first.into.line(anEvent("b", 7, "ADDED"));
  second.into.line(aBookmark(8));
  second.into.line(anEvent("a", 10, "DELETED"));
  recorded.end();
  second.into.line(anEvent("b", 11));
  const lines = recorded.told.lines.map(({ watch, object, newer, objects }) => ({ watch, object, newer, objects }));
  assert.deepEqual(lines, [
    { watch: 1, object: "tests/b", newer: 3, objects: 2 },
    { watch: 2, object: undefined, newer: 2, objects: 2 },
    { watch: 2, object: "tests/a", newer: 0, objects: 1 },
  ]);
});

test("it leaves what is sent as it is", () => {
  const { into, told } = new LinesTold(new Recorded(() => 0n).stage);
  into.line(anEvent("a", 1));
  into.line(aBookmark(2));
  into.end();
  assert.deepEqual(told, ["MODIFIED a 1", "BOOKMARK", "end"]);
});
