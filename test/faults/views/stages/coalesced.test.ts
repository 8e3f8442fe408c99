import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "vitest";
import { VirtualTime } from "../../world/virtual-time.ts";
import { Happening } from "../happening.ts";
import { coalesced } from "./coalesced.ts";
import { aBookmark, anEvent, LinesTold } from "./lines-told.ts";

let time: VirtualTime;
let merges: Happening;

beforeEach(() => {
  time = new VirtualTime();
  merges = new Happening("events became one");
});

afterEach(() => time[Symbol.dispose]());

test("two events of an object within a window become one, which is counted when it is sent", async () => {
  const { into, told } = new LinesTold(coalesced(1_000, merges.note).stage);
  into.line(anEvent("a", 1));
  into.line(anEvent("b", 2));
  into.line(anEvent("a", 3));
  assert.equal(merges.times, 0);
  await time.pass(1_000);
  assert.deepEqual(told, ["MODIFIED b 2", "MODIFIED a 3"]);
  assert.equal(merges.times, 1);
});

test("one that was created and deleted within a window is not sent, which counts as well", async () => {
  const { into, told } = new LinesTold(coalesced(1_000, merges.note).stage);
  into.line(anEvent("a", 1, "ADDED"));
  into.line(anEvent("a", 2, "DELETED"));
  await time.pass(1_000);
  assert.deepEqual([told, merges.times], [[], 1]);
});

test("events of several objects, of several windows and bookmarks are not counted", async () => {
  const { into } = new LinesTold(coalesced(1_000, merges.note).stage);
  into.line(anEvent("a", 1));
  into.line(anEvent("b", 2));
  for (const revision of [3, 4]) into.line(aBookmark(revision));
  await time.pass(1_000);
  into.line(anEvent("a", 5));
  await time.pass(1_000);
  assert.equal(merges.times, 0);
});

test("nothing is counted of a watch that ends before its window does", async () => {
  const { into, told } = new LinesTold(coalesced(1_000, merges.note).stage);
  for (const revision of [1, 2]) into.line(anEvent("a", revision));
  into.end();
  await time.pass(1_000);
  assert.deepEqual([told, merges.times], [["end"], 0]);
});

test("it holds what came until a revision as long as that is not sent", async () => {
  const { stage, isHolding } = coalesced(1_000, merges.note);
  const { into } = new LinesTold(stage);
  into.line(anEvent("a", 4));
  assert.deepEqual([isHolding(3n), isHolding(4n)], [false, true]);
  await time.pass(1_000);
  assert.equal(isHolding(4n), false);
  into.line(anEvent("a", 5));
  into.end();
  assert.equal(isHolding(5n), false);
});
