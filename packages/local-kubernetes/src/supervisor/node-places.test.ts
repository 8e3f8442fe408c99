import assert from "node:assert/strict";
import { test } from "vitest";
import { MOST_NODES, nodePlaces } from "./node-places.ts";

test("nodes have names, zones, addresses and ports of their own, all within the addresses of pods", () => {
  const places = nodePlaces(
    "10.88.0.0/17",
    Array.from({ length: MOST_NODES }, (_, index) => 20_000 + index),
  );
  for (const key of ["nodeName", "nodeIp", "nodePodCidr", "zone", "kubeletPort"] as const)
    assert.equal(new Set(places.map((place) => place[key])).size, MOST_NODES, key);
  assert.ok(places.every(({ nodePodCidr }) => Number(nodePodCidr.split(".")[2]) < 128));
});

test("a node keeps its place when others are added", () => {
  assert.deepEqual(nodePlaces("10.88.0.0/17", [1]), nodePlaces("10.88.0.0/17", [1, 2, 3]).slice(0, 1));
  assert.deepEqual(nodePlaces("10.88.0.0/17", [1])[0]?.nodeName, "local");
});
