import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { Silence } from "./silence.ts";

const KEY = "default/example";
const READY = { uid: "a", readiness: "True since 1" };
const NOT_READY = { uid: "a", readiness: "False since 2" };

let clock: FakeClock;
let silence: Silence;
beforeEach(() => {
  clock = new FakeClock();
  silence = new Silence(clock);
});

const silentNow = (pod = READY) => silence.learn(KEY, [pod], () => true);
const answersNow = (pod = READY) => silence.learn(KEY, [pod], () => false);

describe("a member that did not answer in its time", () => {
  test("is not waited for, and gets its full time again after 10, 20, 40 and then every 60 s", async () => {
    assert.ok(!silence.isExpected(KEY, READY), "nothing is known of it");
    silentNow();
    const waitsMs: number[] = [];
    for (let times = 0; times < 5; times += 1) {
      let waitMs = 0;
      while (silence.isExpected(KEY, READY)) {
        await clock.advance(5_000);
        waitMs += 5_000;
        if (silence.isExpected(KEY, READY)) silentNow();
      }
      waitsMs.push(waitMs);
      silentNow();
    }
    assert.deepEqual(waitsMs, [10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test("gets its full time as soon as it has answered once", () => {
    silentNow();
    answersNow();
    assert.ok(!silence.isExpected(KEY, READY));
  });

  test("gets its full time when its pod becomes ready, or not ready, or is another", () => {
    silentNow();
    assert.ok(silence.isExpected(KEY, READY));
    assert.ok(!silence.isExpected(KEY, NOT_READY));
    assert.ok(!silence.isExpected(KEY, { ...READY, uid: "b" }));
    assert.ok(!silence.isExpected("default/other", READY));
  });

  test("is forgotten with its pod, and with its cluster", () => {
    silentNow();
    silence.learn(KEY, [], () => true);
    assert.ok(!silence.isExpected(KEY, READY));
    silentNow();
    silence.forget(KEY);
    assert.ok(!silence.isExpected(KEY, READY));
  });
});
