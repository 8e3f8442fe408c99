import assert from "node:assert/strict";
import { test } from "vitest";
import { clustersIn } from "./profile-scale.ts";

test("a figure says of how many clusters it tells", () => {
  assert.equal(clustersIn("scale: 100 clusters: memory, idle"), 100);
  assert.equal(clustersIn("scale, on kube-apiserver: 1,000 clusters: processor, idle"), 1_000);
  assert.equal(clustersIn("scale: growth from 1,000 to 5,000: memory, idle, per cluster"), 5_000);
});
