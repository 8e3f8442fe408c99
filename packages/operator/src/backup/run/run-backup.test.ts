import assert from "node:assert/strict";
import { onAbort, pause } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, test } from "vitest";
import type { RunSucceeded } from "../observation.ts";
import { runBackup, type Untimed } from "./run-backup.ts";

let clock: FakeClock;
beforeEach(() => {
  clock = new FakeClock();
});
const { signal } = new AbortController();

/** Work that ends when it is cancelled, with what such calls end with. */
async function endless(stop: AbortSignal): Promise<RunSucceeded> {
  return new Promise((_, reject) => onAbort(stop, () => reject(new Error("aborted"))));
}

test("what succeeds is passed on, and no timer is left", async () => {
  const result = succeeded();
  assert.equal(await runBackup(async () => result, { clock, timeoutSeconds: 5 }, signal), result);
  assert.deepEqual(clock.pendingMs, []);
});

test.each([
  [new ObjectStoreError("no-such-bucket", { operation: "put", message: "create it" }), "put: create it", true],
  [new ObjectStoreError("unavailable", { operation: "put", message: "503" }), "put: 503", false],
  ["whatever", "whatever", false],
])("what fails is told: %s", async (error, message, needsFix) => {
  const outcome = await runBackup(() => Promise.reject(error), { clock, timeoutSeconds: 5 }, signal);
  assert.deepEqual(outcome, { kind: "failed", endedAtMs: clock.now(), message, needsFix });
});

test.each([
  [7, 7],
  [0, 3_600],
  [undefined, 3_600],
  [86_400, 21_600],
])("with a limit of %s it is ended after %i s, and that is what is told", async (timeoutSeconds, seconds) => {
  const running = runBackup(endless, { clock, timeoutSeconds }, signal);
  await clock.advance(seconds * 1000 - 1);
  await clock.advance(1);
  const outcome = await running;
  assert.equal(outcome.kind, "failed");
  assert.match(
    outcome.kind === "failed" ? outcome.message : "",
    new RegExp(`took longer than ${seconds} s: .*timeoutInSecond`),
  );
});

test("what takes too long says what it was waiting for, if the store knows", async () => {
  const operation = "start worker pod 'prod/nightly-worker-x'";
  const told = new ObjectStoreError("unavailable", { operation, message: "it cannot be scheduled: no node" });
  const waits = (stop: AbortSignal) => endless(stop).catch(() => Promise.reject(told));
  const running = runBackup(waits, { clock, timeoutSeconds: 60 }, signal);
  await clock.advance(60_000);
  const outcome = await running;
  assert.match(
    outcome.kind === "failed" ? outcome.message : "",
    /took longer than 60 s: .* \(start worker pod 'prod\/nightly-worker-x': it cannot be scheduled: no node\)$/,
  );
});

test("time that passes while it waits for its turn does not count", async () => {
  const result = succeeded();
  const waits = async (_: AbortSignal, untimed: Untimed) => {
    await pause(clock, 4_000, signal);
    await untimed(() => pause(clock, 60_000, signal));
    await pause(clock, 4_000, signal);
    return result;
  };
  const running = runBackup(waits, { clock, timeoutSeconds: 5 }, signal);
  await clock.advance(68_000);
  assert.equal(await running, result);
  assert.deepEqual(clock.pendingMs, []);
});

test("what is cancelled throws, because its result is not needed", async () => {
  const abort = new AbortController();
  const running = assert.rejects(runBackup(endless, { clock, timeoutSeconds: 5 }, abort.signal), /enough/);
  abort.abort(new Error("enough"));
  await running;
  assert.deepEqual(clock.pendingMs, []);
});
