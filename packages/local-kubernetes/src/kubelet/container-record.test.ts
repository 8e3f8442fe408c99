import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { afterRun, type ContainerRecord, newRecord, startedOver } from "./container-record.ts";

const HOW = { exitCode: 1, reason: "Error", startedAt: 5 };
const RUNNING: ContainerRecord = {
  ...newRecord("etcd", "etcd:1"),
  ...{ state: { kind: "running", startedAt: 5 }, containerId: "id", isStarted: true, isReady: true },
};

describe("a container whose run has ended", () => {
  test("waits until it is due, and is neither started nor ready", () => {
    const { state, dueAt, backOffMs, isStarted, isReady } = afterRun(RUNNING, HOW, { finishedAt: 10, restartAt: 40 });
    assert.deepEqual(state, { kind: "terminated", termination: { ...HOW, finishedAt: 10, containerId: "id" } });
    assert.deepEqual(
      { dueAt, backOffMs, isStarted, isReady },
      { dueAt: 40, backOffMs: 30, isStarted: false, isReady: false },
    );
  });

  test("waits for nothing when it was stopped for another image, but does when it was stopped because it ailed", () => {
    const times = { finishedAt: 10, restartAt: 40 };
    assert.equal(afterRun({ ...RUNNING, isStopping: true }, HOW, times).dueAt, 10);
    const ailing = afterRun({ ...RUNNING, isStopping: true, ailment: "no answer" }, HOW, times);
    assert.deepEqual([ailing.dueAt, ailing.ailment, ailing.isStopping], [40, undefined, false]);
  });

  test("can start over, and keeps in mind how it ended", () => {
    const ended = afterRun(RUNNING, HOW, { finishedAt: 10, restartAt: 40 });
    const over = startedOver(ended);
    assert.deepEqual([over.state, over.dueAt], [{ kind: "waiting" }, 0]);
    assert.equal(over.last?.finishedAt, 10);
    assert.equal(startedOver(newRecord("etcd", "etcd:1")).last, undefined);
  });
});
