import assert from "node:assert/strict";
import { describe, test } from "vitest";
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
  test("that told everything once and in order is complete", () => {
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

  test("that found its revision compacted and read anew is complete from there on", () => {
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

  test("that left out a change which nobody was told of is found out by the versions", () => {
    const run = aRun();
    const piece = run.watched(1n);
    piece.events.splice(2, 1);
    assert.match(brokenWatches(run).join("\n"), /a = a3 \(revision 5, version 3\) came after version 1/);
  });

  test("that told something twice, or out of order, is accused", () => {
    const run = aRun();
    const piece = run.watched(1n);
    const [first] = piece.events;
    assert.ok(first);
    piece.events.push(first);
    const told = brokenWatches(run).join("\n");
    assert.match(told, /a1 .* was told before/);
    assert.match(told, /a1 .* came after revision 7/);
  });

  test("that tells what nobody did, or what was refused, is accused", () => {
    const run = aRun();
    run.isTold(write("c1"), { kind: "refused", why: "no-space" }, "c");
    const piece = run.watched(1n);
    piece.through = 9n;
    piece.events.push({ key: "c", value: "c1", revision: 8n, version: 1n });
    piece.events.push({ key: "d", value: "d1", revision: 9n, version: 1n });
    const told = brokenWatches(run);
    assert.equal(told.filter((each) => each.includes("nobody's doing")).length, 2);
  });

  test("that tells something else than another one is accused", () => {
    const run = aRun();
    run.watched(1n);
    const piece = run.watched(1n, run.revision, { watcher: "other" });
    const event = piece.events[2];
    assert.ok(event);
    piece.events[2] = { ...event, version: 7n };
    assert.match(brokenWatches(run).join("\n"), /watch other was told .*version 7\), another one .*version 2\)/);
  });
});
