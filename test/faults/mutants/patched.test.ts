import assert from "node:assert/strict";
import { test } from "vitest";
import type { Patch } from "./mutant.ts";
import { patched } from "./patched.ts";

const PATCH: Patch = { file: "a.ts", find: "isUp", replace: "true" };

test("what a patch names is replaced in its file alone", () => {
  assert.equal(patched("return isUp;", "a.ts", [PATCH]), "return true;");
  assert.equal(patched("return isUp;", "b.ts", [PATCH]), "return isUp;");
});

test("several patches of a file come after each other", () => {
  const after = { file: "a.ts", find: "true;", replace: "true && isWell;" };
  assert.equal(patched("return isUp;", "a.ts", [PATCH, after]), "return true && isWell;");
});

test("a patch whose place is gone, or is not the only one, is refused", () => {
  assert.throws(
    () => patched("return isDown;", "a.ts", [PATCH]),
    /packages\/a.ts has to have this once, and has it 0 times: isUp/,
  );
  assert.throws(() => patched("isUp || isUp", "a.ts", [PATCH]), /has it 2 times/);
});
