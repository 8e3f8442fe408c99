import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "vitest";
import { LONG } from "./longest-first.ts";

test("the files that tests begin with exist", () => {
  assert.deepEqual(
    LONG.filter((file) => !existsSync(file)),
    [],
  );
});
