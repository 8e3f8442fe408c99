import assert from "node:assert/strict";
import { beforeEach, describe, test } from "vitest";
import { Turns } from "./turns.ts";

const { signal } = new AbortController();
let turns: Turns;
let begun: string[];
let finish: Map<string, () => void>;
beforeEach(() => {
  [turns, begun, finish] = [new Turns(2), [], new Map()];
});

async function work(name: string, stop = signal): Promise<string> {
  const leave = await turns.take(stop);
  begun.push(name);
  await new Promise<void>((resolve) => finish.set(name, resolve));
  leave();
  return name;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("turns", () => {
  test("so many work at the same time, and the others follow in the order in which they came", async () => {
    const all = Promise.all(["a", "b", "c", "d"].map((name) => work(name)));
    await settled();
    assert.deepEqual([begun, turns.isFull], [["a", "b"], true]);
    finish.get("b")?.();
    await settled();
    assert.deepEqual(begun, ["a", "b", "c"]);
    for (const name of ["a", "c"]) finish.get(name)?.();
    await settled();
    finish.get("d")?.();
    assert.deepEqual(await all, ["a", "b", "c", "d"]);
    assert.equal(turns.isFull, false);
  });

  test("who is called off while waiting leaves the queue, and nobody else loses a turn", async () => {
    const abort = new AbortController();
    void work("a");
    void work("b");
    const leaving = assert.rejects(work("c", abort.signal), /enough/);
    void work("d");
    abort.abort(new Error("enough"));
    await leaving;
    finish.get("a")?.();
    await settled();
    assert.deepEqual(begun, ["a", "b", "d"]);
  });

  test("who is called off before does not begin at all", async () => {
    await assert.rejects(work("a", AbortSignal.abort(new Error("enough"))), /enough/);
    assert.deepEqual([begun, turns.isFull], [[], false]);
  });
});
