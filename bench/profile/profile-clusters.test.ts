import assert from "node:assert/strict";
import { test } from "vitest";
import { lives } from "../cluster/lives.ts";
import { stepOf } from "./profile-clusters.ts";

test("a figure leads to the step that it is about, and to no other", () => {
  for (const { steps } of lives) {
    for (const { name } of steps) {
      assert.equal(stepOf(`cluster: ${name}`)?.step.name, name);
      assert.equal(stepOf(`cluster: ${name}: longest write gap`)?.step.name, name);
    }
  }
  assert.equal(stepOf("cluster: ten clusters of three at once, Parallel"), undefined);
});

test("no two steps have one name", () => {
  const names = lives.flatMap(({ steps }) => steps.map(({ name }) => name));
  assert.equal(new Set(names).size, names.length);
});
