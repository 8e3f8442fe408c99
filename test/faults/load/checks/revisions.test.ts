import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { Recorder } from "../history/recorder.ts";
import { PretendedRun, read, remove, swap, write } from "./pretended-run.ts";
import { brokenRevisions } from "./revisions.ts";

describe("revisions", () => {
  test("of a store that keeps its promises are in order", () => {
    const run = new PretendedRun();
    run.does(write("a1"), "a");
    run.does(swap("a1", "a2"), "a");
    run.does(read, "a");
    run.does(remove, "a");
    run.does(read, "a");
    assert.deepEqual(brokenRevisions(run), []);
  });

  test("a write must get a greater one than was known before it began", () => {
    const run = new PretendedRun();
    run.does(write("a1"), "a");
    run.isTold(write("b1"), { kind: "ok", revision: run.revision, hasChanged: true, seen: undefined }, "b");
    assert.match(brokenRevisions(run).join("\n"), /revision 2 had been given out before: #1 .*write b1/);
  });

  test("a read must not go back, for any key and any client", () => {
    const run = new PretendedRun();
    run.does(write("a1"), "a", "one");
    run.isTold(read, { kind: "ok", revision: 1n, hasChanged: false, seen: undefined }, "b");
    assert.match(brokenRevisions(run).join("\n"), /revision 2 had been given out before: #1 .*read of b/);
  });

  test("those under way together may be in either order", () => {
    const recorder = new Recorder(() => 0);
    recorder.beginEpoch(1n);
    const call = (key: string) => recorder.call({ client: key, epoch: 0, key, action: write(key) });
    const [one, other] = [call("a"), call("b")];
    other({ kind: "ok", revision: 3n, hasChanged: true, seen: undefined });
    one({ kind: "ok", revision: 2n, hasChanged: true, seen: undefined });
    assert.deepEqual(brokenRevisions(recorder), []);
  });

  test("two changes never share one", () => {
    const recorder = new Recorder(() => 0);
    recorder.beginEpoch(1n);
    const call = (key: string) => recorder.call({ client: key, epoch: 0, key, action: write(key) });
    const [one, other] = [call("a"), call("b")];
    for (const done of [one, other]) done({ kind: "ok", revision: 2n, hasChanged: true, seen: undefined });
    assert.match(brokenRevisions(recorder).join("\n"), /revision 2 also belongs to a = a/);
  });

  test("what is read has that of its write, in every read", () => {
    const run = new PretendedRun();
    run.does(write("a1"), "a");
    run.does(write("b1"), "b");
    const seen = { value: "a1", modRevision: 3n };
    run.isTold(read, { kind: "ok", revision: 3n, hasChanged: false, seen }, "a");
    assert.match(brokenRevisions(run).join("\n"), /a = a1 had revision 2, and has 3/);
  });

  test("a restored key keeps that of the backup, and new ones come after it", () => {
    const run = new PretendedRun();
    run.does(write("a1"), "a");
    const backup = run.revision;
    run.does(write("a2"), "a");
    run.restore(new Map([["a", { value: "a1", modRevision: 2n }]]), backup);
    run.does(read, "a");
    run.does(write("a3"), "a");
    assert.deepEqual(brokenRevisions(run), []);
    run.isTold(read, { kind: "ok", revision: 1n, hasChanged: false, seen: undefined }, "b");
    assert.equal(brokenRevisions(run).length, 1);
  });
});
