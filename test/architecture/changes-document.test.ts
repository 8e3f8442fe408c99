import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { specFields } from "@etcd-operator/testing/scenario/cluster/spec-fields.ts";
import { test } from "vitest";

test("docs/reference/changes.md says of every field of the spec what an edit does, and of no other", async () => {
  const text = await readFile("docs/reference/changes.md", "utf8");
  const told = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, field]) => field);
  assert.deepEqual(told.sort(), specFields());
});
