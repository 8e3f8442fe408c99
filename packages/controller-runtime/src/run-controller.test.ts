import assert from "node:assert/strict";
import { onAbort, resources } from "@etcd-operator/kubernetes-client";
import { LoopUnderTest } from "@etcd-operator/testing/controller/loop-under-test.ts";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { afterEach, beforeEach, describe, test } from "vitest";

const { configMaps } = resources;
const done = { kind: "done" } as const;
let loop: LoopUnderTest;

beforeEach(() => {
  loop = new LoopUnderTest();
});
afterEach(() => loop.stop());

/** A pass that ends when loop.told to. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("a key", () => {
  test("gets a pass when a source names it, and another one when it changes meanwhile", async () => {
    const first = gate();
    loop.start(async () => {
      await first.opened;
      return done;
    });
    loop.add("a");
    await loop.clock.advance(0);
    loop.add("a");
    loop.add("a");
    await loop.clock.advance(0);
    assert.deepEqual(loop.passes, ["a"], "never two loop.passes over one key at a time");
    first.open();
    await loop.clock.advance(0);
    assert.deepEqual(loop.passes, ["a", "a"]);
  });

  test("comes again on a slow tick, spread over time", async () => {
    const randoms = [0, 1];
    loop.start(async () => done, { random: () => randoms.shift() ?? 0.5 });
    loop.add("a");
    await loop.clock.advance(47_999);
    assert.equal(loop.passes.length, 1);
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 2, "as early as 0.8 of the time");
    await loop.clock.advance(71_999);
    assert.equal(loop.passes.length, 2);
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 3, "as late as 1.2 of the time");
  });

  test("that waits comes with the tick, or with an event before it", async () => {
    loop.start(async () => ({ kind: "wait", for: "the pod to start" }));
    loop.add("a");
    await loop.clock.advance(1_000);
    assert.equal(loop.passes.length, 1);
    loop.add("a");
    await loop.clock.advance(0);
    assert.equal(loop.passes.length, 2);
    await loop.clock.advance(60_000);
    assert.equal(loop.passes.length, 3);
  });

  test("at rest comes less often, and with an event at once", async () => {
    const randoms = [1];
    const random = () => randoms.shift() ?? 0.5;
    let restMs = 90_000;
    loop.start(async () => ({ kind: "rest" }), { restMs: () => restMs, random });
    loop.add("a");
    await loop.clock.advance(89_999);
    assert.equal(loop.passes.length, 1);
    restMs = 300_000;
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 2);
    await loop.clock.advance(299_999);
    assert.equal(loop.passes.length, 2);
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 3);
    loop.add("a");
    await loop.clock.advance(0);
    assert.equal(loop.passes.length, 4);
  });

  test("at rest comes no later than it has to", async () => {
    loop.start(async () => ({ kind: "rest", atMostMs: 20_000 }), { restMs: () => 300_000, random: () => 0.5 });
    loop.add("a");
    await loop.clock.advance(19_999);
    assert.equal(loop.passes.length, 1);
    await loop.clock.advance(20_001);
    assert.equal(loop.passes.length, 3);
  });

  test("that rests for the first time comes at any time of its rest, so that all of a start do not come at one", async () => {
    const randoms = [0.1];
    const random = () => randoms.shift() ?? 0;
    loop.start(async () => ({ kind: "rest" }), { restMs: () => 300_000, random });
    loop.add("a");
    await loop.clock.advance(30_000);
    assert.equal(loop.passes.length, 2, "after a tenth of it");
    await loop.clock.advance(239_999);
    assert.equal(loop.passes.length, 2);
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 3, "and then as all others");
  });

  test("that asks for a retry gets it when it asked", async () => {
    loop.start(async () => ({ kind: "retry", afterMs: 700, why: "the member starts" }));
    loop.add("a");
    await loop.clock.advance(699);
    assert.equal(loop.passes.length, 1);
    await loop.clock.advance(1);
    assert.equal(loop.passes.length, 2);
    assert.deepEqual(loop.told, ["a took 0", "a took 0"], "waiting is no failure");
  });

  test("that stands for nothing any more is forgotten", async () => {
    loop.start(async () => done);
    loop.gone.add("a");
    loop.add("a");
    await loop.clock.advance(600_000);
    assert.deepEqual(loop.passes, ["a"]);
    assert.deepEqual(loop.told, ["a took 0", "a forgotten"]);
  });
});

describe("our own writes", () => {
  test("keep the key from its next reconcile until the caches show them, and no other key", async () => {
    loop.start(
      async (key, _, { writes }) => {
        if (loop.passes.length === 1) writes.wrote(configMaps, configMap("a", "5"));
        assert.ok(key === "b" || loop.passes.length === 1 || loop.cache.get({ namespace: "default", name: "a" }));
        return done;
      },
      { concurrency: 1 },
    );
    loop.add("a");
    await loop.clock.advance(0);
    loop.add("a");
    loop.add("b");
    await loop.clock.advance(1_000);
    assert.deepEqual(loop.passes, ["a", "b"]);
    loop.cache.apply({ type: "ADDED", object: configMap("a", "5") });
    await loop.clock.advance(0);
    assert.deepEqual(loop.passes, ["a", "b", "a"]);
    assert.deepEqual(loop.lines, []);
  });

  test("that the caches do not show in time make the next reconcile read live, and only that one once they are seen", async () => {
    const live: boolean[] = [];
    loop.start(async (_, __, { writes, mustReadLive }) => {
      live.push(mustReadLive);
      if (live.length === 1) writes.wrote(configMaps, configMap("a", "5"));
      return { kind: "retry", afterMs: 10, why: "more to do" };
    });
    loop.add("a");
    await loop.clock.advance(5_009);
    assert.deepEqual(live, [false]);
    await loop.clock.advance(1);
    assert.deepEqual(live, [false, true]);
    assert.match(String(loop.lines[0]?.msg), /the next reconcile reads from the API server/);
    loop.cache.apply({ type: "ADDED", object: configMap("a", "5") });
    await loop.clock.advance(10);
    assert.deepEqual(live, [false, true, false]);
  });

  test("are waited for after a failure as well", async () => {
    loop.start(async (_, __, { writes }) => {
      writes.wrote(configMaps, configMap("a", String(4 + loop.passes.length)));
      throw new Error("half-way");
    });
    loop.add("a");
    await loop.clock.advance(4_000);
    assert.equal(loop.passes.length, 1);
    loop.cache.apply({ type: "ADDED", object: configMap("a", "5") });
    await loop.clock.advance(150);
    assert.equal(loop.passes.length, 2);
  });
});

test("as many reconciles run at a time as allowed, and every key gets its turn", async () => {
  let atOnce = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  loop.start(
    async (_, signal) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise<void>((resolve) => {
        ends.push(resolve);
        onAbort(signal, resolve);
      });
      atOnce -= 1;
      return done;
    },
    { concurrency: 3 },
  );
  for (let key = 0; key < 10; key += 1) loop.add(String(key));
  for (let turn = 0; turn < 10; turn += 1) {
    loop.add("0");
    await loop.clock.advance(0);
    ends.shift()?.();
  }
  await loop.clock.advance(0);
  assert.equal(most, 3);
  assert.deepEqual(
    loop.passes.slice(0, 10),
    Array.from({ length: 10 }, (_, key) => String(key)),
  );
});

describe("a pass that takes too long", () => {
  test("is aborted, and counts as a failure", async () => {
    loop.start((_, signal) => new Promise((__, reject) => onAbort(signal, () => reject(new Error("canceled")))));
    loop.add("a");
    await loop.clock.advance(120_000);
    assert.deepEqual(loop.told, ["a took 120000", "a failed: pass-timeout"]);
    const { message, cause } = (loop.lines[0]?.err ?? {}) as Record<string, string>;
    assert.match(`${message} ${cause}`, /longer than 120000 ms canceled/);
  });

  test("and does not heed its signal makes us count as hanging", async () => {
    const stuck = gate();
    loop.start(async () => {
      await stuck.opened;
      return done;
    });
    loop.add("a");
    await loop.clock.advance(180_000);
    assert.deepEqual(loop.health.notAlive, []);
    await loop.clock.advance(1);
    assert.match(String(loop.health.notAlive), /tests: the reconcile of 'a' has been hanging/);
    stuck.open();
    await loop.clock.advance(0);
    assert.deepEqual(loop.health.notAlive, []);
  });
});

describe("the end", () => {
  test("aborts what runs, waits for it, and starts nothing new", async () => {
    let isOver = false;
    loop.start(
      async (_, signal) => {
        await new Promise((__, reject) => onAbort(signal, () => reject(new Error("canceled")))).catch(async (error) => {
          await loop.clock.advance(0);
          isOver = true;
          throw error;
        });
        return done;
      },
      { concurrency: 1 },
    );
    loop.add("a");
    loop.add("b");
    await loop.clock.advance(0);
    loop.abort.abort();
    await loop.running;
    assert.ok(isOver);
    assert.deepEqual(loop.passes, ["a"]);
    assert.deepEqual(loop.lines, [], "an aborted pass is no failure");
  });

  test("does not wait for a cache that hangs", async () => {
    loop.start(async (_, __, { writes }) => {
      writes.wrote(configMaps, configMap("a", "5"));
      return done;
    });
    loop.add("a");
    await loop.clock.advance(0);
    loop.abort.abort();
    await loop.running;
  });
});
