import assert from "node:assert/strict";
import { beforeEach, describe, test } from "vitest";
import { ConditionMemory, type ConditionSeen } from "./seen-for.ts";

const KEY = "prod/example";
let nowMs: number;
let memory: ConditionMemory;
beforeEach(() => {
  nowMs = 5_000_000;
  memory = new ConditionMemory({ monotonic: () => nowMs }, 30_000);
});

/** How long it has been so, after so long and another look at what is so. */
function seenAfter(passedMs: number, ...seen: readonly ConditionSeen[]): number {
  nowMs += passedMs;
  return memory.learn(KEY, seen).ms("away");
}

const away = (since?: string) => ({ name: "away", since });

describe("a condition", () => {
  test("has been seen for no time when it is seen first", () => {
    assert.equal(seenAfter(0, away()), 0);
  });

  test("has been seen for as long as it was there each time", () => {
    assert.deepEqual([seenAfter(0, away()), seenAfter(12_000, away()), seenAfter(12_000, away())], [0, 12_000, 24_000]);
  });

  test("that was not there once starts again", () => {
    seenAfter(0, away());
    seenAfter(12_000, away());
    assert.equal(seenAfter(12_000), 0);
    assert.deepEqual([seenAfter(12_000, away()), seenAfter(5_000, away())], [0, 5_000]);
  });

  test("that is told to have begun at another time starts again, whichever time that is", () => {
    seenAfter(0, away("2030-01-01T00:00:00Z"));
    assert.equal(seenAfter(12_000, away("2030-01-01T00:00:00Z")), 12_000);
    assert.equal(seenAfter(12_000, away("2029-01-01T00:00:00Z")), 0);
  });

  test("goes on while nothing tells when it began", () => {
    seenAfter(0, away("then"));
    assert.deepEqual([seenAfter(12_000, away()), seenAfter(12_000, away("then"))], [12_000, 24_000]);
  });

  test("was not seen while the process was frozen", () => {
    seenAfter(0, away());
    assert.equal(seenAfter(3_600_000, away()), 30_000);
  });

  test("is not known of another object, nor of one that was forgotten", () => {
    seenAfter(0, away());
    seenAfter(12_000, away());
    assert.equal(memory.learn("prod/other", [away()]).ms("away"), 0);
    memory.forget(KEY);
    assert.equal(seenAfter(12_000, away()), 0);
  });
});
