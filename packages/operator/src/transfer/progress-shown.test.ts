import assert from "node:assert/strict";
import { test } from "vitest";
import { progressShown } from "./progress-shown.ts";

test("progress is shown in whole percents of a readable size, and never beyond all of it", () => {
  assert.deepEqual(progressShown({ bytes: 262_144_000, totalBytes: 1_073_741_824 }), {
    percent: 24,
    done: "24 % of 1 GiB",
  });
  assert.deepEqual(progressShown({ bytes: 2_000, totalBytes: 1_024 }), { percent: 100, done: "100 % of 1 KiB" });
});

test("progress is not shown while the size is not known", () => {
  assert.deepEqual(
    [progressShown({ bytes: 5 }), progressShown({}), progressShown({ bytes: 0, totalBytes: 0 })],
    [{}, {}, {}],
  );
});
