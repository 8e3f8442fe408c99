import assert from "node:assert/strict";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import type { AnswerSeen } from "../../model/observation.ts";
import { GrowthMemory } from "./growth-memory.ts";

const of = (databaseSizeBytes: number): AnswerSeen[] =>
  anObservation().pods.map(({ answer }) => ({
    ...answer,
    ...(answer.status && { status: { ...answer.status, databaseSizeBytes } }),
  }));

test("how fast a database grows is known from the second look on, and a smaller one does not grow", () => {
  const memory = new GrowthMemory();
  assert.equal(memory.learn("a", of(1_000), 0), 0);
  assert.equal(memory.learn("b", of(9_000), 1_000), 0);
  assert.equal(memory.learn("a", of(3_000), 4_000), 500);
  assert.equal(memory.learn("a", [], 5_000), 0);
  assert.equal(memory.learn("a", of(3_500), 5_000), 500);
  assert.equal(memory.learn("a", of(1_000), 6_000), 0);
  memory.forget("a");
  assert.equal(memory.learn("a", of(9_000), 7_000), 0);
});
