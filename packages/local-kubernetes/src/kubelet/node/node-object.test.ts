import assert from "node:assert/strict";
import { test } from "vitest";
import { nodeObject, nodeStatus } from "./node-object.ts";

const place = {
  ...{ nodeName: "local", nodeIp: "10.88.0.1", nodePodCidr: "10.88.0.0/20", zone: "local-a", kubeletPort: 10_250 },
};
const facts = {
  config: { ...place, nodes: [place] },
  machine: { cpu: 2, memoryBytes: 4 * 1024 ** 3 },
  ...{ arch: "x64", kernelVersion: "6.1", bootId: "b", now: Date.parse("2026-01-01T00:00:00Z") },
};

test("the node is this machine, with room for 110 pods", () => {
  assert.equal(nodeObject(facts).metadata?.labels?.["kubernetes.io/arch"], "amd64");
  const { capacity, addresses, daemonEndpoints } = nodeStatus(facts);
  assert.deepEqual(capacity, { cpu: "2", memory: "4194304Ki", pods: "110" });
  assert.deepEqual(addresses?.[0], { type: "InternalIP", address: "10.88.0.1" });
  assert.equal(daemonEndpoints?.kubeletEndpoint?.Port, 10_250);
});

test("Ready turns true once, and keeps the time of it", () => {
  const first = nodeStatus(facts);
  const later = nodeStatus({ ...facts, now: facts.now + 60_000 }, first);
  const ready = later.conditions?.find(({ type }) => type === "Ready");
  assert.deepEqual(
    [ready?.status, ready?.lastTransitionTime, ready?.lastHeartbeatTime],
    ["True", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"],
  );
});
