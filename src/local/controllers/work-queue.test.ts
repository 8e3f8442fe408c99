import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { until } from "../../../test/support/kube/until.ts";
import { FakeClock } from "../../../test/support/kubernetes/fake-clock.ts";
import { KubernetesError } from "../../kubernetes/kubernetes-error.ts";
import { type Again, WorkQueue } from "./work-queue.ts";

describe("the work queue", () => {
  function aQueue(work: (key: string) => Promise<Again | undefined>, log: string[] = []): WorkQueue {
    return new WorkQueue({ name: "test", work, signal: new AbortController().signal, log: (line) => log.push(line) });
  }

  test("never works twice at once on a key, and once more when it was added meanwhile", async () => {
    let [running, most, runs] = [0, 0, 0];
    const queue = aQueue(async () => {
      running += 1;
      runs += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      running -= 1;
      return undefined;
    });
    for (let count = 0; count < 5; count += 1) queue.add("a");
    await until(() => runs === 2 && running === 0, { what: "the second run", everyMs: 1 });
    assert.equal(most, 1);
  });

  test("tries again what failed, and tells of it", async () => {
    const log: string[] = [];
    let runs = 0;
    const queue = aQueue(async () => {
      runs += 1;
      if (runs < 3) throw new Error("not yet");
      return undefined;
    }, log);
    queue.add("a");
    await until(() => runs === 3, { what: "the third run", everyMs: 1 });
    assert.deepEqual(log, ["test: a: Error: not yet", "test: a: Error: not yet"]);
  });

  test("gives up what belongs to a namespace that is going", async () => {
    const log: string[] = [];
    let runs = 0;
    const queue = aQueue(async () => {
      runs += 1;
      const causes = [{ reason: "NamespaceTerminating" }];
      throw new KubernetesError("forbidden", { operation: "POST", message: "it is being terminated", causes });
    }, log);
    queue.add("a");
    queue.add("b");
    await until(() => runs === 2, { what: "both runs", everyMs: 1 });
    assert.deepEqual(log, []);
  });

  test("begins anew with a key whose namespace went and came back", async () => {
    const clock = new FakeClock();
    const log: string[] = [];
    const going = {
      operation: "POST",
      message: "it is being terminated",
      causes: [{ reason: "NamespaceTerminating" }],
    };
    const conflict = new KubernetesError("conflict", { operation: "PUT", message: "another was faster" });
    const failures = [...Array(5).fill(conflict), new KubernetesError("forbidden", going), conflict];
    const work = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return undefined;
    };
    const signal = new AbortController().signal;
    const queue = new WorkQueue({ name: "test", work, signal, log: (line) => log.push(line), clock });
    queue.add("a");
    await clock.advance(60_000);
    assert.equal(failures.length, 1);
    queue.add("a");
    await clock.advance(60_000);
    assert.deepEqual([failures.length, log], [0, []], "a first failure is nothing to tell of");
  });

  test("comes back when asked to", async () => {
    let runs = 0;
    const queue = aQueue(async () => {
      runs += 1;
      return runs < 3 ? { afterMs: 1 } : undefined;
    });
    queue.add("a");
    await until(() => runs === 3, { what: "the third run", everyMs: 1 });
  });

  test("does nothing after the abort", () => {
    let runs = 0;
    const ended = new AbortController();
    const work = async () => {
      runs += 1;
      return undefined;
    };
    const queue = new WorkQueue({ name: "test", work, signal: ended.signal, log: () => undefined });
    ended.abort();
    queue.add("a");
    assert.equal(runs, 0);
  });

  test("wakes a key at the soonest of several times, however far the first one was", async () => {
    const clock = new FakeClock();
    const seen: number[] = [];
    const work = async () => {
      seen.push(clock.monotonic());
      return undefined;
    };
    const queue = new WorkQueue({ name: "test", work, signal: new AbortController().signal, log: () => {}, clock });
    queue.addAfter("a", 600_000);
    queue.addAfter("a", 20);
    queue.addAfter("a", 5_000);
    await clock.advance(1_000_000);
    assert.deepEqual(seen, [20]);
    queue.addAfter("a", 40 * 86_400_000);
    await clock.advance(86_400_000);
    assert.equal(seen.length, 2, "a timer that would be too long for Node.js ends early");
  });
});
