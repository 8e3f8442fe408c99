import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { randomOf } from "../../../model/random.ts";
import { aHistory } from "./a-history.ts";
import { someOrderExplains } from "./every-order.ts";
import { linearizable } from "./linearizable.ts";
import type { Effect, RegisterOperation, Value } from "./register.ts";

const NEVER = Number.POSITIVE_INFINITY;
const read = (saw: Value): Effect => ({ kind: "read", saw });
const write = (to: Value): Effect => ({ kind: "write", to });
const swap = (from: Value, to: Value): Effect => ({ kind: "swap", from, to });

type Row = readonly [calledAt: number, returnedAt: number, effect: Effect];

function history(...rows: readonly Row[]): readonly RegisterOperation[] {
  return rows.map(([calledAt, returnedAt, effect], id) => ({ id, calledAt, returnedAt, effect }));
}

const GOOD: Readonly<Record<string, readonly Row[]>> = {
  "nothing at all": [],
  "a register that was never written holds nothing": [[1, 2, read(undefined)]],
  "what was written is read": [
    [1, 2, write("a")],
    [3, 4, read("a")],
  ],
  "a read beside a write sees the old or the new": [
    [1, 10, write("a")],
    [2, 3, read(undefined)],
    [4, 5, read("a")],
  ],
  "two writes beside each other, in either order": [
    [1, 10, write("a")],
    [2, 9, write("b")],
    [11, 12, read("a")],
  ],
  "a write of unknown outcome that did happen": [
    [1, NEVER, write("a")],
    [5, 6, read(undefined)],
    [7, 8, read("a")],
  ],
  "a write of unknown outcome that never happened": [
    [1, NEVER, write("a")],
    [5, 6, read(undefined)],
    [7, 8, write("b")],
    [9, 10, read("b")],
  ],
  "a write of unknown outcome that happened after later ones": [
    [1, NEVER, write("a")],
    [2, 3, write("b")],
    [4, 5, read("b")],
    [6, 7, read("a")],
  ],
  "a deletion of unknown outcome, seen late": [
    [1, 2, write("a")],
    [3, NEVER, write(undefined)],
    [4, 5, read("a")],
    [6, 7, read(undefined)],
  ],
  "a swap of what was there": [
    [1, 2, write("a")],
    [3, 4, swap("a", "b")],
    [5, 6, read("b")],
  ],
  "a chain of swaps that are under way together": [
    [1, 10, swap("b", "c")],
    [2, 11, swap("a", "b")],
    [3, 12, swap(undefined, "a")],
    [13, 14, read("c")],
  ],
  "a swap of unknown outcome on another one of unknown outcome": [
    [1, NEVER, swap(undefined, "a")],
    [2, NEVER, swap("a", "b")],
    [3, 4, read("b")],
  ],
  "operations that meet at the same moment overlap": [
    [1, 2, write("a")],
    [2, 3, read(undefined)],
  ],
};

const BAD: Readonly<Record<string, { readonly rows: readonly Row[]; readonly at: number }>> = {
  "a write that was acknowledged is lost": {
    rows: [
      [1, 2, write("a")],
      [3, 4, read(undefined)],
    ],
    at: 1,
  },
  "a read goes back": {
    rows: [
      [1, 20, write("a")],
      [2, 3, read("a")],
      [4, 5, read(undefined)],
    ],
    at: 2,
  },
  "a value comes out of nowhere": { rows: [[1, 2, read("a")]], at: 0 },
  "a value is read before it is written": {
    rows: [
      [1, 2, read("a")],
      [3, 4, write("a")],
    ],
    at: 0,
  },
  "a value is read before a write of unknown outcome began": {
    rows: [
      [1, 2, read("a")],
      [3, NEVER, write("a")],
    ],
    at: 0,
  },
  "an overwritten value comes back": {
    rows: [
      [1, 2, write("a")],
      [3, 4, write("b")],
      [5, 6, read("a")],
    ],
    at: 2,
  },
  "two swaps of the same value succeed": {
    rows: [
      [1, 2, write("a")],
      [3, 10, swap("a", "b")],
      [4, 9, swap("a", "c")],
    ],
    at: 1,
  },
  "a write of unknown outcome happens twice": {
    rows: [
      [1, NEVER, write("a")],
      [2, 3, read("a")],
      [4, 5, write("b")],
      [6, 7, read("a")],
    ],
    at: 3,
  },
  "readers do not agree in which order two writes came": {
    rows: [
      [1, 20, write("a")],
      [2, 21, write("b")],
      [3, 4, read("a")],
      [5, 6, read("b")],
      [7, 8, read("a")],
    ],
    at: 4,
  },
  "a deleted value is read": {
    rows: [
      [1, 2, write("a")],
      [3, 4, write(undefined)],
      [5, 6, read("a")],
    ],
    at: 2,
  },
  "a swap of unknown outcome happened though its value was gone": {
    rows: [
      [1, 2, write("a")],
      [3, 4, write("b")],
      [5, NEVER, swap("a", "c")],
      [6, 7, read("c")],
    ],
    at: 3,
  },
};

describe("a history that an order explains", () => {
  test.each(Object.keys(GOOD))("%s", (name) => {
    const operations = history(...(GOOD[name] ?? []));
    assert.equal(linearizable(operations).kind, "linearizable");
    assert.ok(someOrderExplains(operations));
  });
});

describe("a history that no order explains, and the first return that shows it", () => {
  test.each(Object.keys(BAD))("%s", (name) => {
    const { rows = [], at } = BAD[name] ?? {};
    const operations = history(...rows);
    const verdict = linearizable(operations);
    assert.equal(verdict.kind, "violated");
    assert.ok(verdict.kind === "violated");
    assert.equal(verdict.at.returnedAt, rows[at ?? 0]?.[1], `at operation ${verdict.at.id}`);
    assert.ok(!someOrderExplains(operations));
  });

  test("says what the register may have held, and which operations were in progress", () => {
    const verdict = linearizable(history([1, 2, write("a")], [3, 9, write("b")], [4, 5, read("x")]));
    assert.ok(verdict.kind === "violated");
    assert.deepEqual(verdict.states, ["a"]);
    assert.deepEqual(
      verdict.pending.map(({ id }) => id),
      [1, 2],
    );
  });
});

describe("a register that did hold something at the beginning", () => {
  test("is read and swapped", () => {
    const operations = history([1, 2, read("old")], [3, 4, swap("old", "new")], [5, 6, read("new")]);
    assert.equal(linearizable(operations, { initial: "old" }).kind, "linearizable");
    assert.equal(linearizable(operations).kind, "violated");
  });
});

describe("generated histories", () => {
  test("a handful of operations is judged as by trying every order, whether it is good or spoiled", () => {
    const counted = { linearizable: 0, violated: 0, undecided: 0 };
    for (let seed = 0; seed < 4_000; seed += 1) {
      const random = randomOf(seed);
      const good = aHistory(random, { operations: 7, clients: 3, unknown: 0.25 });
      assert.equal(linearizable(good).kind, "linearizable", `seed ${seed}`);
      const spoiled = spoil(good, seed);
      const { kind } = linearizable(spoiled);
      assert.equal(kind === "linearizable", someOrderExplains(spoiled), `seed ${seed}: ${JSON.stringify(spoiled)}`);
      counted[kind] += 1;
    }
    assert.ok(counted.violated > 1_000 && counted.linearizable > 500, JSON.stringify(counted));
  });

  test("thousands of operations on one key are judged in a number of steps that grows with them alone", () => {
    for (const seed of [1, 2]) {
      const wishes = { operations: 4_000, clients: 8, unknown: 0.02 };
      const verdict = linearizable(aHistory(randomOf(seed), wishes));
      assert.equal(verdict.kind, "linearizable");
      assert.ok(verdict.steps < 400 * wishes.operations, `${verdict.steps} steps`);
    }
  });

  test("one wrong answer among thousands is found, and the search for it stays bounded", () => {
    const operations = aHistory(randomOf(4), { operations: 4_000, clients: 6, unknown: 0.02 });
    const isKnownRead = ({ effect, id }: RegisterOperation) => effect.kind === "read" && id > 3_000;
    const wrong = operations.findIndex(isKnownRead);
    const spoiled = operations.map((each, at) => (at === wrong ? { ...each, effect: read("v1") } : each));
    const verdict = linearizable(spoiled);
    assert.ok(verdict.kind === "violated");
    assert.equal(verdict.at.id, wrong);
    assert.ok(verdict.steps < 400_000, `${verdict.steps} steps`);
  });

  test("a search that grows without bounds is aborted, and reports so", () => {
    const writes = Array.from({ length: 18 }, (_, id): Row => [id, 100 + id, write(`v${id}`)]);
    const verdict = linearizable(history(...writes, [50, 99, read("v0")]), { maxSteps: 1_000 });
    assert.equal(verdict.kind, "undecided");
  });
});

/** Changes one answer, or one moment; what comes out may still be a good history. */
function spoil(operations: readonly RegisterOperation[], seed: number): readonly RegisterOperation[] {
  const random = randomOf(seed + 1_000_000);
  const chosen = random.int(operations.length);
  return operations.map((operation, at) => {
    if (at !== chosen) return operation;
    const value = random.pick([undefined, "v0", "v1", "v2", "v3", "v4", "v5"]);
    switch (random.int(4)) {
      case 0:
        return { ...operation, effect: read(value) };
      case 1:
        return { ...operation, effect: swap(value, `v${at}`) };
      case 2:
        return { ...operation, calledAt: operation.calledAt + 20, returnedAt: operation.returnedAt + 20 };
      default:
        return { ...operation, calledAt: 0, returnedAt: 1 };
    }
  });
}
