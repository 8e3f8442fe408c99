import assert from "node:assert/strict";
import { test } from "vitest";
import { SortedEntries } from "./sorted-entries.ts";

const entry = (key: string, revision = 1n) => ({ key, value: Buffer.alloc(0), revision });

test("entries are found under a prefix, in order, as they were last set", () => {
  const entries = new SortedEntries();
  for (const key of ["/b/2", "/a/1", "/b/10", "/c/1", "/b/1"]) entries.set(entry(key));
  const keys = (prefix: string) => entries.under(prefix).map(({ key }) => key);
  assert.deepEqual(keys("/b/"), ["/b/1", "/b/10", "/b/2"]);
  assert.deepEqual(keys("/b/1"), ["/b/1", "/b/10"]);
  assert.deepEqual(keys("/d/"), []);
  entries.delete("/b/10");
  entries.set(entry("/b/1", 7n));
  assert.deepEqual(keys("/b/"), ["/b/1", "/b/2"]);
  assert.equal(entries.get("/b/1")?.revision, 7n);
});
