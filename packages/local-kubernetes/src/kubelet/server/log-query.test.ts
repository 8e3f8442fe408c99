import assert from "node:assert/strict";
import { test } from "vitest";
import { logQuery } from "./log-query.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const off = { isFollowing: false, isPrevious: false, timestamps: false };

test.each([
  ["", off],
  ["follow=true&previous=true&timestamps=1", { isFollowing: true, isPrevious: true, timestamps: true }],
  ["follow=false&tailLines=0&limitBytes=10", { ...off, tailLines: 0, limitBytes: 10 }],
  ["sinceSeconds=30", { ...off, since: now - 30_000 }],
  ["sinceTime=2026-01-01T00:00:00Z", { ...off, since: now - 60_000 }],
])("%j", (query, expected) => {
  assert.deepEqual(logQuery(new URLSearchParams(query), now), expected);
});
