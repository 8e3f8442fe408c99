import assert from "node:assert/strict";
import { test } from "vitest";
import { ChangeWindow } from "./change-window.ts";

const revisions = (window: ChangeWindow, after: bigint) => window.after(after)?.map(({ revision }) => revision);

test("a window gives the changes after a revision, and none after the newest", () => {
  const window = new ChangeWindow(10, 5n);
  for (const revision of [7n, 9n]) window.add({ revision });
  assert.deepEqual(revisions(window, 5n), [7n, 9n]);
  assert.deepEqual(revisions(window, 7n), [9n]);
  assert.deepEqual(revisions(window, 8n), [9n]);
  assert.deepEqual(revisions(window, 100n), []);
});

test("a window does not know what was before it", () => {
  assert.equal(new ChangeWindow(10, 5n).after(4n), undefined);
});

test("a window that is full forgets the oldest, and knows that it did", () => {
  const window = new ChangeWindow(2, 0n);
  for (const revision of [1n, 2n, 3n, 4n]) window.add({ revision });
  assert.equal(window.after(1n), undefined);
  assert.deepEqual(revisions(window, 2n), [3n, 4n]);
});
