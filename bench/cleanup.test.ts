import assert from "node:assert/strict";
import { test } from "vitest";
import { Cleanup } from "./cleanup.ts";

test("ends what was started, the last first, and once", async () => {
  const cleanup = new Cleanup();
  const ended: string[] = [];
  for (const name of ["one", "two"]) await cleanup.use(Promise.resolve(name), async (it) => ended.push(it));
  await cleanup.run();
  await cleanup.run();
  assert.deepEqual(ended, ["two", "one"]);
});

test("ends what is still starting when it has started, and nothing for what fails to", async () => {
  const cleanup = new Cleanup();
  const ended: string[] = [];
  let resolve = (_: string) => {};
  const promise = new Promise<string>((done) => {
    resolve = done;
  });
  const failing = cleanup.use(Promise.reject(new Error("no")), async () => ended.push("failed one"));
  await assert.rejects(failing, /no/);
  const starting = cleanup.use(promise, async (it) => ended.push(it));
  const over = cleanup.run();
  resolve("late one");
  await Promise.all([starting, over]);
  assert.deepEqual(ended, ["late one"]);
});
