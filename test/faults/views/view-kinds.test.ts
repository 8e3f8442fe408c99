import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { EVEN_VIEWS, LATE_VIEWS, UNEVEN_VIEWS } from "./every-view.ts";
import { anEvent, LinesTold } from "./stages/lines-told.ts";
import { cut, repeatedAfter, together, type ViewGiven, watchesExpire } from "./view-kinds.ts";

const given: ViewGiven = {
  ...{ concerns: () => true, events: 1, crash: () => undefined },
  random: { int: () => 0, chance: () => false, pick: ([first]) => first, some: () => [] },
  timeline: { oldest: 0n, newest: 0n, newestAt: () => 0n, onAdvance: () => () => undefined } as never,
};

describe("every view names its fault, so that a plan can check whether it occurred", () => {
  for (const kind of [...LATE_VIEWS, ...UNEVEN_VIEWS, ...EVEN_VIEWS])
    test(kind.name, () => {
      const { episodes = [], happenings = [] } = kind.make(given);
      assert.ok(episodes.length + happenings.length > 0);
    });
});

test("several at once count everything that each of them counts", () => {
  const { happenings = [] } = together(cut(2, "ends"), repeatedAfter(0), watchesExpire(2)).make(given);
  const what = happenings.map((happening) => happening.what);
  assert.deepEqual(what, ["a watch was cut off", "an event was repeated", "a watch was answered with 410"]);
});

describe("what is to be repeated is sent before the watch is cut off, and not only counted", () => {
  for (const kind of EVEN_VIEWS.filter(({ name }) => name.includes("repeated")))
    test(kind.name, () => {
      const isOfRepeats = (what: string) => what === "an event was repeated";
      const { stages = [], happenings = [] } = kind.make(NOTHING_HIDDEN);
      const { into, told } = new LinesTold(...stages);
      for (let revision = 1; revision < 20; revision += 1) into.line(anEvent("a", revision));
      assert.ok(happenings.some(({ what, times }) => isOfRepeats(what) && times > 0));
      const seen = told.slice(0, told.includes("end") ? told.indexOf("end") : undefined);
      assert.notEqual(new Set(seen).size, seen.length);
    });
});

/** Nothing is beyond the horizon, and what happens once is far away. */
const NOTHING_HIDDEN: ViewGiven = {
  ...given,
  random: { ...given.random, int: () => 1_000 },
  timeline: { oldest: 0n, newest: 1_000n, newestAt: () => 1_000n, onAdvance: () => () => undefined } as never,
};
