import assert from "node:assert/strict";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { test } from "vitest";
import { type Patience, retrying, UNTIL_NOT_NEEDED } from "./retrying.ts";

const failure = (code: ObjectStoreErrorCode) => new ObjectStoreError(code, { operation: "get 'etcd'", message: "no" });

function tried(outcomes: readonly (ObjectStoreErrorCode | "fine")[], patience?: Patience) {
  const clock = new FakeClock();
  const abort = new AbortController();
  const troubles: string[] = [];
  let attempts = 0;
  const work = async () => {
    const outcome = outcomes[attempts] ?? "fine";
    attempts += 1;
    if (outcome === "fine") return "result";
    throw failure(outcome);
  };
  const onTrouble = (text: string) => troubles.push(text);
  const options = { clock, random: () => 0.5, signal: abort.signal, onTrouble, ...(patience && { patience }) };
  const result = retrying(work, options).catch((error: unknown) => error);
  return { clock, abort, troubles, result, attempts: () => attempts };
}

test("a temporary failure is retried after a pause, and reported", async () => {
  const { clock, result, troubles, attempts } = tried(["unavailable", "corrupt", "fine"]);
  await clock.advance(0);
  assert.equal(attempts(), 1);
  await clock.advance(60_000);
  assert.equal(await result, "result");
  assert.match(troubles[1] ?? "", /^Attempt 2 of 5 failed; retrying: get 'etcd': no$/);
});

test("what fails again and again fails in the end", async () => {
  const { clock, result, attempts } = tried(Array(9).fill("unavailable"));
  await clock.advance(600_000);
  assert.ok((await result) instanceof ObjectStoreError);
  assert.equal(attempts(), 5);
});

test("a failure that needs a fix is not retried", async () => {
  const { result, attempts } = tried(["access-denied"]);
  assert.equal(((await result) as ObjectStoreError).code, "access-denied");
  assert.equal(attempts(), 1);
});

test("a pause ends when the result is not needed any more", async () => {
  const { clock, abort, result, attempts } = tried(["unavailable", "fine"]);
  await clock.advance(0);
  abort.abort();
  assert.ok((await result) instanceof Error);
  assert.equal(attempts(), 1);
  assert.deepEqual(clock.pendingMs, []);
});

test("what the operator does by itself is tried again for as long as it is needed, with pauses of up to 30 s", async () => {
  const { clock, abort, result, attempts, troubles } = tried(Array(10_000).fill("unavailable"), UNTIL_NOT_NEEDED);
  await clock.advance(0);
  for (let second = 0; second < 3_600; second += 1) await clock.advance(1_000);
  assert.ok(attempts() > 100 && attempts() < 300, `${attempts()} attempts in an hour`);
  assert.match(troubles.at(-1) ?? "", /^Attempt \d+ failed; retrying/);
  abort.abort();
  assert.ok((await result) instanceof Error);
});

test("for a failure that needs a fix it waits ten minutes", async () => {
  const { clock, result, attempts } = tried(Array(10_000).fill("access-denied"), UNTIL_NOT_NEEDED);
  await clock.advance(0);
  for (let second = 0; second < 660; second += 1) await clock.advance(1_000);
  assert.equal(((await result) as ObjectStoreError).code, "access-denied");
  assert.ok(attempts() > 10);
});
