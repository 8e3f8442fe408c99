import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "vitest";
import { specFields } from "../support/scenario/spec-fields.ts";

test("docs/reference/changes.md says of every field of the spec what an edit does, and of no other", async () => {
  const text = await readFile("docs/reference/changes.md", "utf8");
  const told = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, field]) => field);
  assert.deepEqual(told.sort(), specFields());
});
