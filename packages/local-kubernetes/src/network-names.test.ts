import assert from "node:assert/strict";
import { test } from "vitest";
import { vethName, vethPrefix } from "./network-names.ts";

test("a pod's link name follows from its uid and is as long as the kernel allows", () => {
  const name = vethName("ab12cd", "0b0c1c1e-0000-4000-8000-000000000001");
  assert.equal(name, vethName("ab12cd", "0b0c1c1e-0000-4000-8000-000000000001"));
  assert.notEqual(name, vethName("ab12cd", "0b0c1c1e-0000-4000-8000-000000000002"));
  assert.ok(name.startsWith(vethPrefix("ab12cd")));
  assert.equal(name.length, 15);
});
