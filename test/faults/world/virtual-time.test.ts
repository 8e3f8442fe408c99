import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { describe, test } from "vitest";
import { VirtualTime } from "./virtual-time.ts";

const HOUR_MS = 3_600_000;

describe("virtual time", () => {
  test("passes for timers, promises of timers, dates and clocks alike", async () => {
    using time = new VirtualTime(Date.UTC(2030, 0, 1));
    const happened: string[] = [];
    setTimeout(() => happened.push("timer"), HOUR_MS);
    void pause(2 * HOUR_MS).then(() => happened.push("promise"));
    const before = performance.now();
    await time.pass(3 * HOUR_MS);
    assert.deepEqual(happened, ["timer", "promise"]);
    assert.equal(new Date().toISOString(), "2030-01-01T03:00:00.000Z");
    assert.equal(performance.now() - before, 3 * HOUR_MS);
    assert.equal(time.elapsedMs, 3 * HOUR_MS);
  });

  test("stands still while something can happen at this moment", async () => {
    using time = new VirtualTime();
    let steps = 0;
    time.activity = () => steps;
    const chain = async () => {
      for (; steps < 50; steps += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    const done = chain().then(() => time.elapsedMs);
    setTimeout(() => undefined, 1_000);
    await time.until(() => time.elapsedMs > 0, HOUR_MS);
    assert.equal(await done, 0);
  });

  test("goes no further than to what is waited for", async () => {
    using time = new VirtualTime();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1_000);
    assert.equal(await time.until(() => ticks === 3, HOUR_MS), true);
    assert.equal(time.elapsedMs, 3_000);
    clearInterval(timer);
  });

  test("stops at the limit, and when nothing is due", async () => {
    using time = new VirtualTime();
    assert.equal(await time.until(() => false, HOUR_MS), false);
    assert.equal(time.elapsedMs, 0);
    const timer = setInterval(() => undefined, 1_000);
    assert.equal(await time.until(() => false, 5_000), false);
    assert.equal(time.elapsedMs, 5_000);
    clearInterval(timer);
  });

  test("is over when it is disposed of", () => {
    const real = Date.now();
    const timer = setTimeout;
    {
      using time = new VirtualTime(0);
      assert.equal(time.elapsedMs, 0);
      assert.notEqual(setTimeout, timer);
      assert.ok(Date.now() < real);
    }
    assert.equal(setTimeout, timer);
    assert.ok(Date.now() >= real);
  });
});
