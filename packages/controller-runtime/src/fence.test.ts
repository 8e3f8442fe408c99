import assert from "node:assert/strict";
import { test } from "vitest";
import { fenceOf } from "./fence.ts";

test("who leads may write, and who does not is told what was not done", () => {
  let isLeading = true;
  const fence = fenceOf(() => isLeading);
  fence("writing the status");
  isLeading = false;
  assert.throws(() => fence("writing the status"), {
    code: "not-leading",
    message: /^writing the status was not done/,
  });
});
