import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { LEAST_PACE, PaceWatch } from "./pace-watch.ts";

const MIB = 2 ** 20;
const WINDOW_MS = LEAST_PACE.windowMs;

let clock: FakeClock;
let ended: string[];
let watch: PaceWatch;
beforeEach(() => {
  [clock, ended] = [new FakeClock(), []];
  watch = new PaceWatch(clock, LEAST_PACE, (why) => ended.push(why));
});

/** A store that takes so many bytes at a time, as long as it needs for them at its rate. */
async function moveFor(ms: number, { partBytes, bytesPerSecond }: { partBytes: number; bytesPerSecond: number }) {
  const partMs = (partBytes / bytesPerSecond) * 1_000;
  for (let passed = 0; passed < ms; passed += partMs) {
    watch.moved(partBytes);
    await clock.advance(partMs);
  }
}

describe("a transfer", () => {
  test.each([
    ["in small pieces", 65_536],
    ["in the parts of S3", 6 * MIB],
    ["in the parts of Google Cloud Storage", 16 * MIB],
  ])("that moves 64 KiB/s %s for a day is not ended", async (_, partBytes) => {
    await moveFor(86_400_000, { partBytes, bytesPerSecond: 65_536 });
    assert.deepEqual(ended, []);
  });

  test("that moves a few bytes now and then is ended after one window, once, and reports so", async () => {
    await moveFor(WINDOW_MS - 1_000, { partBytes: 16, bytesPerSecond: 16 });
    assert.deepEqual(ended, []);
    await moveFor(2 * WINDOW_MS, { partBytes: 16, bytesPerSecond: 16 });
    assert.deepEqual(ended, ["4800 bytes transferred within 300 s, fewer than 4194304"]);
    assert.deepEqual(clock.pendingMs, []);
  });

  test("that was fast first is ended one window after it became slow", async () => {
    watch.moved(1_000 * MIB);
    await clock.advance(2 * WINDOW_MS - 1);
    assert.deepEqual(ended, []);
    await clock.advance(1);
    assert.equal(ended.length, 1);
  });

  test("may rest for as long as its reader does", async () => {
    watch.rest();
    await clock.advance(10 * WINDOW_MS);
    assert.deepEqual(ended, []);
    watch.goOn();
    await clock.advance(WINDOW_MS);
    assert.equal(ended.length, 1);
  });

  test("of a process that was suspended is not ended for it", async () => {
    clock.freeze(100 * WINDOW_MS);
    await clock.advance(0);
    assert.deepEqual(ended, []);
  });

  test("that waits for the store to complete it has a time of its own", async () => {
    await clock.advance(WINDOW_MS - 1);
    watch.allRead();
    await clock.advance(LEAST_PACE.finishMs - 1);
    assert.deepEqual(ended, []);
    await clock.advance(1);
    assert.deepEqual(ended, ["not completed 900 s after the last byte was read"]);
  });

  test("that is over leaves no timer", () => {
    watch.end();
    assert.deepEqual(clock.pendingMs, []);
  });
});
