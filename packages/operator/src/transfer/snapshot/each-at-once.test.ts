import assert from "node:assert/strict";
import { test } from "vitest";
import { eachAtOnce } from "./each-at-once.ts";

test("all are done, in their order, and no more at a time than wanted", async () => {
  const begun: number[] = [];
  let [running, most] = [0, 0];
  await eachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  });
  assert.deepEqual([begun, most], [[1, 2, 3, 4, 5, 6, 7], 3]);
  await eachAtOnce([], 3, async () => assert.fail("there is nothing to do"));
});

test("after a failure nothing more is begun, and what was begun has ended", async () => {
  const [begun, ended]: number[][] = [[], []];
  const work = async (item: number) => {
    begun?.push(item);
    await new Promise((resolve) => setImmediate(resolve));
    if (item === 2) throw new Error("no");
    await new Promise((resolve) => setImmediate(resolve));
    ended?.push(item);
  };
  await assert.rejects(eachAtOnce([1, 2, 3, 4, 5, 6], 2, work), /no/);
  assert.deepEqual([begun, ended], [[1, 2], [1]]);
});
