import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { WorkQueue } from "./work-queue.ts";

let clock: FakeClock;
let queue: WorkQueue;
let abort: AbortController;
const depths: number[] = [];
const waits: number[] = [];

beforeEach(() => {
  clock = new FakeClock();
  abort = new AbortController();
  depths.length = 0;
  waits.length = 0;
  const observer = { depth: (keys: number) => depths.push(keys), waited: (ms: number) => waits.push(ms) };
  queue = new WorkQueue({ clock, observer });
});

const take = () => queue.take(abort.signal);

/** All keys that are ready now, in their order. */
async function ready(): Promise<string[]> {
  const keys: string[] = [];
  while (queue.depth > 0) keys.push((await take()) ?? "");
  return keys;
}

describe("a key", () => {
  test("added many times is there once, and the first to come is the first to go", async () => {
    for (const key of ["a", "b", "a", "c", "a"]) queue.add(key);
    assert.deepEqual(await ready(), ["a", "b", "c"]);
  });

  test("goes at once to a worker that waits for one", async () => {
    const taken = take();
    queue.add("a");
    assert.equal(await taken, "a");
  });

  test("that is taken is not given to a second one, however often it is added", async () => {
    queue.add("a");
    await take();
    queue.add("a");
    queue.add("a");
    assert.equal(queue.depth, 0);
  });

  test("that changed while it was taken comes again, once, behind the others", async () => {
    queue.add("a");
    await take();
    queue.add("a");
    queue.add("b");
    queue.add("a");
    queue.done("a");
    assert.deepEqual(await ready(), ["b", "a"]);
    queue.done("a");
    assert.equal(queue.depth, 0);
  });

  test("that did not change while it was taken does not come again", async () => {
    queue.add("a");
    await take();
    queue.done("a");
    assert.equal(queue.depth, 0);
  });

  test("given back twice does no harm", async () => {
    queue.add("a");
    await take();
    queue.done("a");
    queue.add("a");
    queue.done("a");
    assert.deepEqual(await ready(), ["a"]);
  });
});

describe("a key for later", () => {
  test("is ready after its time, not before", async () => {
    queue.addAfter("a", 100);
    await clock.advance(99);
    assert.equal(queue.depth, 0);
    await clock.advance(1);
    assert.deepEqual(await ready(), ["a"]);
  });

  test("comes at the soonest of several times, and once", async () => {
    for (const delayMs of [300, 100, 200]) queue.addAfter("a", delayMs);
    await clock.advance(100);
    assert.deepEqual(await ready(), ["a"]);
    queue.done("a");
    await clock.advance(1_000);
    assert.equal(queue.depth, 0);
  });

  test("that is taken sooner needs no second look", async () => {
    queue.addAfter("a", 100);
    queue.add("a");
    await take();
    queue.done("a");
    await clock.advance(1_000);
    assert.equal(queue.depth, 0);
  });

  test("whose time comes while it is taken comes again", async () => {
    queue.add("a");
    await take();
    queue.addAfter("a", 100);
    await clock.advance(100);
    queue.done("a");
    assert.deepEqual(await ready(), ["a"]);
  });

  test("in a month does not come at once, though timers cannot count that far", async () => {
    queue.addAfter("a", 31 * 24 * 3600 * 1000);
    assert.deepEqual(clock.pendingMs, [2 ** 31 - 1]);
  });

  test("that is forgotten does not come", async () => {
    queue.addAfter("a", 100);
    queue.forget("a");
    await clock.advance(1_000);
    assert.equal(queue.depth, 0);
  });
});

describe("a rest", () => {
  test("holds back what is added during it, and what was added while the key was taken", async () => {
    queue.add("a");
    await take();
    queue.add("a");
    queue.done("a", { restMs: 100 });
    queue.add("a");
    await clock.advance(99);
    assert.equal(queue.depth, 0);
    await clock.advance(1);
    assert.deepEqual(await ready(), ["a"]);
  });

  test("is for one key only, and over when it is over", async () => {
    queue.add("a");
    await take();
    queue.done("a", { restMs: 100 });
    queue.add("b");
    assert.deepEqual(await ready(), ["b"]);
    await clock.advance(100);
    queue.add("a");
    assert.deepEqual(await ready(), ["a"]);
  });
});

describe("the end", () => {
  test("of a taker's signal leaves the keys to the others", async () => {
    const taken = take();
    abort.abort();
    assert.equal(await taken, undefined);
    queue.add("a");
    assert.equal(await queue.take(new AbortController().signal), "a");
  });

  test("lets everybody go and leaves no timer behind", async () => {
    const taken = take();
    queue.addAfter("a", 100);
    queue.close();
    assert.equal(await taken, undefined);
    queue.add("b");
    queue.addAfter("c", 1);
    assert.deepEqual([queue.depth, clock.pendingMs], [0, []]);
    assert.equal(await take(), undefined);
  });
});

test("an observer gets the depth, and how long keys waited in the queue", async () => {
  queue.add("a");
  queue.add("b");
  await take();
  await clock.advance(50);
  await take();
  assert.deepEqual(depths, [1, 2, 1, 0]);
  assert.deepEqual(waits, [0, 50]);
});
