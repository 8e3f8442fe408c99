import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { Recorder } from "../history/recorder.ts";
import { longestGap } from "./longest-gap.ts";
import { read, write } from "./pretended-run.ts";

describe("the longest time without a write", () => {
  function aRun() {
    let nowMs = 0;
    const recorder = new Recorder(() => nowMs);
    let epoch = recorder.beginEpoch(1n).number;
    const at = (ms: number, action = write("x")) => {
      nowMs = ms;
      const hasChanged = action.kind !== "read";
      recorder.call({ client: "c", epoch, key: "k", action })({
        kind: "ok",
        revision: 1n,
        hasChanged,
        seen: undefined,
      });
    };
    const restore = () => {
      epoch = recorder.beginEpoch(2n, 1n).number;
    };
    return { recorder, at, restore };
  }

  test("lies between two that were acknowledged, with any reads in between", () => {
    const { recorder, at } = aRun();
    for (const ms of [100, 200, 900]) at(ms);
    at(500, read);
    at(1_000);
    assert.deepEqual(longestGap(recorder), { fromMs: 200, toMs: 900 });
  });

  test("does not reach over a restore, nor beyond the first and the last", () => {
    const { recorder, at, restore } = aRun();
    for (const ms of [1_000, 1_300]) at(ms);
    restore();
    for (const ms of [9_000, 9_200]) at(ms);
    assert.deepEqual(longestGap(recorder), { fromMs: 1_000, toMs: 1_300 });
  });

  test("is none where nothing was written", () => {
    assert.deepEqual(longestGap(aRun().recorder), { fromMs: 0, toMs: 0 });
  });
});
