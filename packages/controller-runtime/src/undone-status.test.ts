import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { describe, test } from "vitest";
import { UndoneStatus } from "./undone-status.ts";

const UNSTEADY = /Time$|^(revision|databaseSize|databaseSizeBytes)$/;

/** One status, at another moment. */
function ours(moment: number, more: object = {}): object {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: `${moment}` }];
  const memberStatus = [{ name: "a", revision: moment, databaseSizeBytes: moment }];
  return {
    phase: "Running",
    conditions,
    memberStatus,
    databaseSize: `${moment} KiB`,
    ...more,
  };
}

describe("a status that others undo", () => {
  test("is written again at once, and then less and less often", async () => {
    const clock = new FakeClock();
    const memory = new UndoneStatus(clock, UNSTEADY);
    const writtenAt: number[] = [];
    while (clock.monotonic() < 120_000) {
      if (memory.leftMs("a", ours(clock.monotonic())) === 0) {
        memory.noteWritten("a", ours(clock.monotonic()));
        writtenAt.push(clock.monotonic());
      }
      await clock.advance(100);
    }
    assert.deepEqual(writtenAt, [0, 100, 2_100, 6_100, 14_100, 30_100, 62_100]);
  });

  test("does not keep one waiting that says anything else, nor that of another cluster", () => {
    const memory = new UndoneStatus(new FakeClock(), UNSTEADY);
    for (const moment of [1, 2]) memory.noteWritten("a", ours(moment));
    assert.equal(memory.leftMs("a", ours(4)), 2_000);
    assert.equal(memory.leftMs("a", ours(4, { phase: "Failed" })), 0);
    assert.equal(memory.leftMs("b", ours(4)), 0);
    memory.forget("a");
    assert.equal(memory.leftMs("a", ours(4)), 0);
  });

  test("is no such thing where that comes back after long", async () => {
    const clock = new FakeClock();
    const memory = new UndoneStatus(clock, UNSTEADY);
    for (let time = 0; time < 5; time += 1) {
      memory.noteWritten("a", ours(time));
      await clock.advance(10_000);
    }
    assert.equal(memory.leftMs("a", ours(9)), 0);
  });
});
