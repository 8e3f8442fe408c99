import assert from "node:assert/strict";
import { test } from "vitest";
import { timestamp } from "./timestamp.ts";

test("fractions of a second are left out", () => {
  assert.equal(timestamp(new Date("2030-01-01T00:00:00.987Z")), "2030-01-01T00:00:00Z");
});

test("the end of a grace period without end is as late as can be written", () => {
  assert.equal(timestamp(new Date(Date.now() + Number.MAX_SAFE_INTEGER * 1_000)), "9999-12-31T23:59:59Z");
});
