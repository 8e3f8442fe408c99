import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { initialOf } from "./changes.ts";
import { PretendedRun, read, remove, swap, write } from "./pretended-run.ts";
import { brokenRegisters } from "./registers.ts";

/** Some of everything, on two keys. */
function aGoodRun(): PretendedRun {
  const run = new PretendedRun();
  run.does(write("a1"), "a");
  run.does(write("b1"), "b");
  run.does(swap("a1", "a2"), "a");
  run.does(swap("a1", "a3"), "a");
  run.loses(write("b2"), "b");
  run.does(read, "b");
  run.does(remove, "a");
  run.does(remove, "a");
  run.does(read, "a");
  run.does(swap(undefined, "a4"), "a");
  return run;
}

describe("registers", () => {
  test("of a store that keeps its promises are linearizable", () => {
    assert.deepEqual(brokenRegisters(aGoodRun()), []);
  });

  test("that lost an acknowledged write are reported, with the key and the operations around", () => {
    const run = aGoodRun();
    const late = run.isTold(read, { kind: "ok", revision: run.revision, hasChanged: false, seen: undefined }, "b");
    const [first = "", ...others] = brokenRegisters(run);
    assert.deepEqual(others, []);
    assert.match(first, /^key b is not linearizable; before, it may have held b2:/);
    assert.match(first, new RegExp(`→ #${late.id} c epoch 0 .* read of b: found nothing`));
    assert.doesNotMatch(first, / a:/);
  });

  test("a write that was refused and is read all the same breaks one", () => {
    const run = aGoodRun();
    run.isTold(write("b3"), { kind: "refused", why: "no-space" }, "b");
    const seen = { value: "b3", modRevision: run.revision };
    run.isTold(read, { kind: "ok", revision: run.revision, hasChanged: false, seen }, "b");
    assert.equal(brokenRegisters(run).length, 1);
  });

  test("a read without an answer says nothing", () => {
    const run = aGoodRun();
    run.isTold(read, { kind: "unknown", why: "deadline" }, "b");
    assert.deepEqual(brokenRegisters(run), []);
  });
});

describe("a restore", () => {
  function restored() {
    const run = new PretendedRun();
    run.does(write("a1"), "a");
    run.does(write("b1"), "b");
    run.loses(write("c1"), "c");
    run.does(read, "c");
    const backup = run.revision;
    run.does(write("a2"), "a");
    run.does(remove, "b");
    run.restore(
      new Map([
        ["a", { value: "a1", modRevision: 2n }],
        ["b", { value: "b1", modRevision: 3n }],
        ["c", { value: "c1", modRevision: 4n }],
      ]),
      backup,
    );
    return run;
  }

  test("begins with the data at the revision of the backup, known from answers, reads or watches", () => {
    const initial = initialOf(restored(), 1);
    assert.deepEqual(Object.fromEntries([...initial].map(([key, { value }]) => [key, value])), {
      a: "a1",
      b: "b1",
      c: "c1",
    });
  });

  test("undoes writes after the backup, and that breaks nothing", () => {
    const run = restored();
    for (const key of ["a", "b", "c"]) run.does(read, key);
    run.does(write("a3"), "a");
    assert.deepEqual(brokenRegisters(run), []);
  });

  test("must bring back what was in the backup, and nothing else", () => {
    const run = restored();
    const answer = { kind: "ok", revision: run.revision, hasChanged: false } as const;
    run.isTold(read, { ...answer, seen: { value: "a2", modRevision: 5n } }, "a");
    run.isTold(read, { ...answer, seen: undefined }, "b");
    assert.equal(brokenRegisters(run).length, 2);
  });
});
