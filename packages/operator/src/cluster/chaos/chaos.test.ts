import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import { runChaos, victims } from "./chaos.ts";

const PODS = ["a", "b", "c", "d", "e", "f", "g"];

/** Chance that gives these numbers, one after another. */
function chance(...numbers: readonly number[]): () => number {
  const left = [...numbers];
  return () => left.shift() ?? 0;
}

describe("chaos", () => {
  test("spares every member half of the times", () => {
    assert.deepEqual(victims(PODS, { level: 1, random: chance(0.5) }), []);
    assert.deepEqual(victims(PODS, { level: 1, random: chance(0.49, 0.99, 0) }), ["a"]);
  });

  test("of level 1 kills one, whichever", () => {
    assert.deepEqual(victims(PODS, { level: 1, random: chance(0, 0.99, 0.99) }), ["g"]);
  });

  test("of level 2 kills one to five, each once", () => {
    assert.deepEqual(victims(PODS, { level: 2, random: chance(0, 0, 0.5) }), ["d"]);
    const many = victims(PODS, { level: 2, random: chance(0, 0.99, 0.5, 0.5, 0.5, 0.5, 0.5) });
    assert.equal(new Set(many).size, 5);
  });

  test("kills no more than there are", () => {
    assert.deepEqual(victims(["a", "b"], { level: 2, random: chance(0, 0.99) }), ["a", "b"]);
    assert.deepEqual(victims([], { level: 2, random: chance(0, 0.99) }), []);
  });

  test.each([-1, 0, 3])("of level %i kills no member", (level) => {
    assert.deepEqual(victims(PODS, { level, random: () => 0 }), []);
  });
});

describe("a run of chaos", () => {
  let clock: FakeClock;
  let killed: string[];
  let lines: { msg: string; pod?: string }[];
  let abort: AbortController;

  beforeEach(() => {
    clock = new FakeClock();
    abort = new AbortController();
    [killed, lines] = [[], []];
  });

  function run(level: number, kill: (pod: string) => void = (pod) => void killed.push(pod)): Promise<void> {
    return runChaos(
      {
        level,
        pods: () => PODS.filter((pod) => !killed.includes(pod)),
        kill: async (pod) => kill(pod),
        nameOf: (pod) => pod,
        logger: createLogger({ write: (line) => lines.push(JSON.parse(line)) }),
        clock,
        random: () => 0,
      },
      abort.signal,
    );
  }

  test("kills every 30 s, says whom, and ends with the controller", async () => {
    const running = run(1);
    await clock.advance(29_999);
    assert.deepEqual(killed, []);
    await clock.advance(60_001);
    assert.deepEqual(killed, ["a", "b", "c"]);
    assert.deepEqual(
      lines.flatMap(({ pod }) => pod ?? []),
      ["a", "b", "c"],
    );
    abort.abort();
    await running;
    assert.deepEqual(clock.pendingMs, []);
  });

  test("of level -1 ends at once, without a word", async () => {
    await run(-1);
    assert.deepEqual([lines, clock.pendingMs], [[], []]);
  });

  test("goes on when a pod cannot be killed", async () => {
    const running = run(1, (pod) => {
      killed.push(pod);
      throw new KubernetesError(pod === "a" ? "not-found" : "unknown", { operation: "DELETE", message: pod });
    });
    await clock.advance(90_000);
    assert.deepEqual(killed, ["a", "b", "c"]);
    assert.equal(lines.filter(({ msg }) => /could not/.test(msg)).length, 2, "one that went by itself is no news");
    abort.abort();
    await running;
  });
});
