import assert from "node:assert/strict";
import { test } from "vitest";
import { managerName } from "./manager-name.ts";

test("a manager is called by the name given, else by the program, else it is unknown", () => {
  assert.equal(managerName("me", "kubectl/v1.32.4 (linux/amd64)"), "me");
  assert.equal(managerName("", "kubectl/v1.32.4 (linux/amd64)"), "kubectl");
  assert.equal(managerName(null, "odd\u0007 name"), "odd name");
  assert.equal(managerName(null, undefined), "unknown");
  assert.equal(managerName(null, "é".repeat(100)), "é".repeat(64));
});
