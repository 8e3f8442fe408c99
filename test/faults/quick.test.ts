import assert from "node:assert/strict";
import { test } from "vitest";
import { runQuick } from "./run/quick.ts";
import { suites } from "./suites.ts";

test("a part of the fault programme, the same each time, finds nothing", { timeout: 600_000 }, async () => {
  const { plans, failures } = await runQuick({ suites, module: new URL("./suites.ts", import.meta.url) });
  assert.ok(plans > 0);
  // The whole text: a difference of lists is cut where it gets long, and would not say which plan it is.
  assert.ok(failures.length === 0, `${failures.length} of ${plans} plans failed:\n${failures.join("\n")}`);
});
