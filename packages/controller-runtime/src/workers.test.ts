import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { runWorkers } from "./workers.ts";

let clock: FakeClock;
/** What is done, in order. */
let done: string[];
let handled: number;
let most: number;

beforeEach(() => {
  clock = new FakeClock();
  done = [];
  handled = 0;
  most = 0;
});

/** Handles keys that take as long as their number says. */
function work(keys: readonly string[], limits: { usual: number; most: number }): Promise<void> {
  const left = [...keys];
  return runWorkers({
    ...limits,
    clock,
    take: async () => left.shift(),
    handle: async (key) => {
      handled += 1;
      most = Math.max(most, handled);
      await new Promise<void>((resolve) => clock.after(Number(key.split("-")[1]), resolve));
      handled -= 1;
      done.push(key);
    },
  });
}

const slow = (count: number) => Array.from({ length: count }, (_, at) => `slow${at}-2000`);

describe("a key that waits for something", () => {
  test("does not hold up the others", async () => {
    const running = work([...slow(3), "quick-1", "quicker-1"], { usual: 2, most: 8 });
    await clock.advance(500);
    assert.deepEqual(done, ["quick-1", "quicker-1"]);
    await clock.advance(2_000);
    await running;
    assert.equal(done.length, 5);
  });

  test("is handled beside no more than the most that is allowed", async () => {
    const running = work(slow(20), { usual: 2, most: 8 });
    await clock.advance(20_000);
    await running;
    assert.deepEqual([most, done.length], [8, 20]);
  });

  test("holds up the others where no more are allowed than usual", async () => {
    const running = work([...slow(2), "quick-1"], { usual: 2, most: 2 });
    await clock.advance(500);
    assert.deepEqual([done, clock.pendingMs.length], [[], 2]);
    await clock.advance(5_000);
    await running;
    assert.equal(done.length, 3);
  });

  test("leaves no more workers behind than there were", async () => {
    const running = work([...slow(6), ...Array.from({ length: 200 }, (_, at) => `quick${at}-40`)], {
      usual: 2,
      most: 8,
    });
    await clock.advance(400);
    assert.equal(most, 8);
    await clock.advance(2_000);
    most = 0;
    await clock.advance(20_000);
    await running;
    assert.equal(most, 2);
  });
});

test("quick keys are handled by as many as usual", async () => {
  const running = work(
    Array.from({ length: 30 }, (_, at) => `quick${at}-40`),
    { usual: 3, most: 8 },
  );
  await clock.advance(5_000);
  await running;
  assert.deepEqual([most, done.length], [3, 30]);
});
