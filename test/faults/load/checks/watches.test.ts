import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { WatchedEvent } from "../history/operation.ts";
import { PretendedRun, remove, swap, write } from "./pretended-run.ts";
import { brokenWatches } from "./watches.ts";

function aRun(): PretendedRun {
  const run = new PretendedRun();
  run.does(write("a1"), "a");
  run.does(write("b1"), "b");
  run.loses(write("a2"), "a");
  run.does(swap("a2", "a3"), "a");
  run.does(remove, "b");
  run.does(write("b2"), "b");
  return run;
}

describe("a watch", () => {
  test("that reported everything once and in order is complete", () => {
    const run = aRun();
    run.watched(1n);
    assert.deepEqual(brokenWatches(run), []);
  });

  test("that went on elsewhere where it had ended is complete", () => {
    const run = aRun();
    run.watched(1n, 3n);
    run.watched(4n, 4n, { isResumed: true });
    run.watched(5n, run.revision, { isResumed: true });
    assert.deepEqual(brokenWatches(run), []);
  });

  test("that found its revision compacted and read again is complete from there on", () => {
    const run = aRun();
    run.watched(1n, 3n);
    run.watched(6n);
    assert.deepEqual(brokenWatches(run), []);
  });

  test("that went on too late is torn", () => {
    const run = aRun();
    run.watched(1n, 3n);
    run.watched(5n, run.revision, { isResumed: true });
    assert.match(brokenWatches(run).join("\n"), /went on from revision 5, though it had been told up to 3/);
  });

  test("that left out an acknowledged change is accused, with the operation", () => {
    const run = aRun();
    const piece = run.watched(1n);
    piece.events.splice(1, 1);
    assert.match(brokenWatches(run).join("\n"), /was told nothing instead of #1 .*write b1 of b/);
  });

  test("that left out a change without an answer is found by the versions", () => {
    const run = aRun();
    const piece = run.watched(1n);
    piece.events.splice(2, 1);
    assert.match(brokenWatches(run).join("\n"), /a = a3 \(revision 5, version 3\) came after version 1/);
  });

  test("that reported something twice, or out of order, is a finding", () => {
    const run = aRun();
    const piece = run.watched(1n);
    const [first] = piece.events;
    assert.ok(first);
    piece.events.push(first);
    const told = brokenWatches(run).join("\n");
    assert.match(told, /a1 .* was told before/);
    assert.match(told, /a1 .* came after revision 7/);
  });

  test("that reports what was not requested, or was refused, is reported as wrong", () => {
    const run = aRun();
    run.isTold(write("c1"), { kind: "refused", why: "no-space" }, "c");
    const piece = run.watched(1n);
    piece.through = 9n;
    piece.events.push({ key: "c", value: "c1", revision: 8n, version: 1n });
    piece.events.push({ key: "d", value: "d1", revision: 9n, version: 1n });
    const told = brokenWatches(run);
    assert.equal(told.filter((each) => each.includes("was not requested")).length, 2);
  });

  test("that reports something else than another one is a finding", () => {
    const run = aRun();
    run.watched(1n);
    const piece = run.watched(1n, run.revision, { watcher: "other" });
    const event = piece.events[2];
    assert.ok(event);
    piece.events[2] = { ...event, version: 7n };
    assert.match(brokenWatches(run).join("\n"), /watch other was told .*version 7\), another one .*version 2\)/);
  });
});

describe("a list that a watch started again with", () => {
  /** Got events up to revision 3, and read all keys again at revision 5. */
  function listed(change: (list: readonly WatchedEvent[]) => readonly WatchedEvent[] = (list) => list): string {
    const run = aRun();
    const list = run.watched(6n, 5n, { watcher: "x" }).listed;
    run.watches.splice(0);
    run.watched(1n, 3n);
    run.watched(6n, run.revision, { listed: change(list) });
    return brokenWatches(run).join("\n");
  }
  const without = (key: string) => (list: readonly WatchedEvent[]) => list.filter((each) => each.key !== key);
  const instead = (key: string, by: Partial<WatchedEvent>) => (list: readonly WatchedEvent[]) =>
    list.map((each) => (each.key === key ? { ...each, ...by } : each));

  test("is right if it has what was there at its revision", () => {
    assert.equal(listed(), "");
  });

  test("is wrong without a key that was there", () => {
    assert.match(listed(without("a")), /list of watch w at revision 5 .*it has no a, which became a3 at revision 5/);
  });

  test("is wrong with what had been overwritten before", () => {
    const stale = listed(instead("a", { value: "a1", revision: 2n, version: 1n }));
    assert.match(stale, /it has a = a1 .*, which became a3 at revision 5/);
  });

  test("is wrong with what came later, what was not written, and what has another's revision", () => {
    assert.match(listed(instead("a", { revision: 6n })), /a = a3 .*is later than the list/);
    assert.match(listed(instead("a", { value: "x", revision: 4n })), /a = x .*was not requested/);
    assert.match(listed(instead("b", { revision: 2n })), /b = b1 .*has the revision of a = a1/);
  });

  test("is wrong with a version that the next event does not follow", () => {
    assert.match(listed(instead("b", { version: 0n })), /b = nothing \(revision 6, version 0\) came after version 0/);
    const run = aRun();
    run.watched(4n, run.revision, { listed: run.watched(4n, 3n).listed.map((each) => ({ ...each, version: 4n })) });
    assert.match(brokenWatches(run).join("\n"), /a = a2 \(revision 4, version 2\) came after version 4/);
  });

  test("may lack a key whose deletion has no answer, unless another watch would have got it", () => {
    const run = aRun();
    run.loses(remove, "a");
    run.does(write("b3"), "b");
    run.watched(9n);
    assert.deepEqual(brokenWatches(run), []);
    const other = run.watched(1n, run.revision, { watcher: "other" });
    other.events.splice(6, 1);
    assert.match(brokenWatches(run).join("\n"), /it has no a, which became a3 at revision 5/);
  });

  test("of a restored cluster has what was in the backup", () => {
    const run = aRun();
    run.watched(1n);
    run.restore(new Map([["a", { value: "a3", modRevision: 5n }]]), 6n);
    run.does(write("b9"), "b");
    run.watched(run.revision);
    assert.deepEqual(brokenWatches(run), []);
    run.watched(run.revision, run.revision, { watcher: "other", listed: [] });
    assert.match(brokenWatches(run).join("\n"), /list of watch other .* of epoch 1: it has no a, which became a3/);
  });
});
