import assert from "node:assert/strict";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { describe, test } from "vitest";
import { type Again, WorkQueue } from "./work-queue.ts";

const GOING = new KubernetesError("forbidden", {
  operation: "POST",
  message: "it is being terminated",
  causes: [{ reason: "NamespaceTerminating" }],
});
const CONFLICT = new KubernetesError("conflict", { operation: "PUT", message: "another was faster" });

// That no key is worked on twice at once, and that the soonest of several times wins, is tested with the queue of
// packages/controller-runtime/src.
describe("the work queue", () => {
  function aQueue(work: (key: string) => Promise<Again | undefined>, signal = new AbortController().signal) {
    const clock = new FakeClock();
    const log: string[] = [];
    const queue = new WorkQueue({ name: "test", work, signal, log: (line) => log.push(line), clock });
    return { queue, clock, log };
  }

  /** Fails as often as there are failures, and counts its calls. */
  function failing(failures: Error[]) {
    const work = async () => {
      work.runs += 1;
      const failure = failures.shift();
      if (failure) throw failure;
      return undefined;
    };
    work.runs = 0;
    return work;
  }

  test("tries again what failed, and tells of it", async () => {
    const work = failing([new Error("not yet"), new Error("not yet")]);
    const { queue, clock, log } = aQueue(work);
    queue.add("a");
    await clock.advance(60_000);
    assert.equal(work.runs, 3);
    assert.deepEqual(log, ["test: a: Error: not yet", "test: a: Error: not yet"]);
  });

  test("gives up what belongs to a namespace that is going", async () => {
    const work = failing([GOING, GOING]);
    const { queue, clock, log } = aQueue(work);
    queue.add("a");
    queue.add("b");
    await clock.advance(60_000);
    assert.deepEqual([work.runs, log], [2, []]);
  });

  test("starts over with a key whose namespace went and came back", async () => {
    const work = failing([...Array(5).fill(CONFLICT), GOING, CONFLICT]);
    const { queue, clock, log } = aQueue(work);
    queue.add("a");
    await clock.advance(60_000);
    assert.equal(work.runs, 6);
    queue.add("a");
    await clock.advance(60_000);
    assert.deepEqual([work.runs, log], [8, []], "a first failure is nothing to tell of");
  });

  test("comes back when asked to, at the soonest of several times", async () => {
    const seenMs: number[] = [];
    const { queue, clock } = aQueue(async () => {
      seenMs.push(clock.monotonic());
      return seenMs.length < 3 ? { afterMs: 10 } : undefined;
    });
    queue.addAfter("a", 600_000);
    queue.addAfter("a", 20);
    await clock.advance(1_000_000);
    assert.deepEqual(seenMs, [20, 30, 40]);
  });

  test("does nothing after the abort", async () => {
    const work = failing([]);
    const ended = new AbortController();
    const { queue, clock } = aQueue(work, ended.signal);
    ended.abort();
    queue.add("a");
    await clock.advance(60_000);
    assert.equal(work.runs, 0);
  });
});
