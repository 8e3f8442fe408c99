import assert from "node:assert/strict";
import { beforeEach, describe, test } from "vitest";
import { Turns, type Urgency } from "./turns.ts";

const { signal } = new AbortController();
let turns: Turns;
let begun: string[];
let finish: Map<string, () => void>;
beforeEach(() => {
  [turns, begun, finish] = [new Turns(2), [], new Map()];
});

async function work(name: string, stop = signal, urgency: Urgency = 0, of?: string): Promise<string> {
  const leave = await turns.take(stop, urgency, of);
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

  test("who is urgent has turns of its own, and goes before those who wait", async () => {
    turns = new Turns(1);
    for (const name of ["a", "b"]) void work(name);
    void work("urgent", signal, 1);
    void work("urgent, too", signal, 1);
    await settled();
    assert.deepEqual(begun, ["a", "urgent"]);
    finish.get("urgent")?.();
    await settled();
    assert.deepEqual(begun, ["a", "urgent", "urgent, too"]);
    finish.get("urgent, too")?.();
    await settled();
    assert.deepEqual([begun.length, turns.isFull], [3, true]);
    finish.get("a")?.();
    await settled();
    assert.deepEqual(begun.at(-1), "b");
  });

  test("however many come, no more begin than may, and one for each degree of urgency", async () => {
    for (let each = 0; each < 20; each += 1) {
      for (const urgency of [0, 1, 2] as const) void work(`${urgency}-${each}`, signal, urgency);
    }
    await settled();
    assert.deepEqual(begun, ["0-0", "1-0", "2-0", "2-1"]);
    finish.get("0-0")?.();
    await settled();
    assert.equal(begun.at(-1), "2-2");
  });

  test("an urgent one counts among all: no other begins beside it and as many as may", async () => {
    turns = new Turns(1);
    void work("urgent", signal, 1);
    void work("a");
    await settled();
    assert.deepEqual(begun, ["urgent"]);
    finish.get("urgent")?.();
    await settled();
    assert.deepEqual(begun, ["urgent", "a"]);
  });

  test("of many owners one leaves a turn to the others, however many of it came before", async () => {
    turns = new Turns(2, 1);
    for (const name of ["slow-1", "slow-2", "slow-3"]) void work(name, signal, 0, "slow");
    await settled();
    assert.deepEqual([begun, turns.isFullFor("slow"), turns.isFullFor("other")], [["slow-1"], true, false]);
    for (const name of ["other-1", "other-2"]) void work(name, signal, 0, "other");
    await settled();
    assert.deepEqual(begun, ["slow-1", "other-1"]);
    finish.get("other-1")?.();
    await settled();
    assert.deepEqual(begun, ["slow-1", "other-1", "other-2"]);
    void work("urgent", signal, 1, "slow");
    await settled();
    assert.equal(begun.at(-1), "urgent");
    for (const name of ["urgent", "slow-1"]) finish.get(name)?.();
    await settled();
    assert.equal(begun.at(-1), "slow-2");
  });

  test("the limits are written for a status, without the name of an owner", () => {
    assert.deepEqual([new Turns(2).limits, new Turns(2, 1).limits], ["2 in all", "2 in all, 1 for one namespace"]);
  });

  test("among those that wait the owner with the fewest turns is next", async () => {
    turns = new Turns(3, 2);
    for (const name of ["a-1", "a-2"]) void work(name, signal, 0, "a");
    void work("b-1", signal, 0, "b");
    for (const [name, of] of [
      ["a-3", "a"],
      ["b-2", "b"],
      ["c-1", "c"],
    ] as const)
      void work(name, signal, 0, of);
    await settled();
    finish.get("a-1")?.();
    await settled();
    assert.deepEqual(begun, ["a-1", "a-2", "b-1", "c-1"]);
  });

  test("one that is canceled while waiting leaves the queue, and no other loses a turn", async () => {
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
