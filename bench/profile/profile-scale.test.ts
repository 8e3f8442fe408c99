import assert from "node:assert/strict";
import { test } from "vitest";
import { clustersIn, phaseOf } from "./profile-scale.ts";

test("a figure says of how many clusters it tells", () => {
  assert.equal(clustersIn("scale: 100 clusters: memory, idle"), 100);
  assert.equal(clustersIn("scale, on kube-apiserver: 1,000 clusters: processor, idle"), 1_000);
  assert.equal(clustersIn("scale: growth from 1,000 to 5,000: memory, idle, per cluster"), 5_000);
});

test("a figure says what the operator was doing meanwhile", () => {
  const figures = {
    "scale: 1,000 clusters: start to all reconciled": "start",
    "scale: 1,000 clusters: processor, idle": "idle",
    "scale: 5,000 clusters: wait in the queue, idle, p99": "idle",
    "scale: 5,000 clusters: wait in the queue, 1 % change, p99": "changes",
    "scale: 1,000 clusters: processor, 1 % of them change each second": "changes",
    "scale: 1,000 clusters: a change is acted on, p50": "changes",
  };
  for (const [figure, phase] of Object.entries(figures)) assert.equal(phaseOf(figure), phase);
});
