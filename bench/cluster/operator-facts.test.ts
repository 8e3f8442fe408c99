import assert from "node:assert/strict";
import { test } from "vitest";
import { metric } from "./operator-facts.ts";

const page = `# HELP passes How many
passes{ClusterName="a",Namespace="default"} 12
passes{ClusterName="ab",Namespace="default"} 3
memory 1048576
`;

test("a series is found by its whole name and its labels", () => {
  assert.equal(metric(page, "memory"), 1_048_576);
  assert.equal(metric(page, 'passes{ClusterName="a",Namespace="default"}'), 12);
});

test("a series that is not there is no zero", () => {
  assert.throws(() => metric(page, "pass"), /does not tell pass/);
});
