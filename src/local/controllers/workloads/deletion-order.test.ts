import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { inDeletionOrder } from "./deletion-order.ts";

const NOW = Date.parse("2030-01-02T00:00:00Z");

interface Given {
  readonly node?: string;
  readonly phase?: string;
  readonly readySince?: string;
  readonly created?: string;
  readonly restarts?: number;
  readonly cost?: string;
}

function pod(name: string, given: Given = {}) {
  const { node = "n", phase = "Running", readySince = "2030-01-01T00:00:00Z", created, restarts = 0, cost } = given;
  return stored<Pod>(name, {
    metadata: {
      ...(created && { creationTimestamp: created }),
      ...(cost && { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: { containers: [], ...(node && { nodeName: node }) },
    status: {
      phase,
      conditions: [
        { type: "Ready", status: readySince === "never" ? "False" : "True", lastTransitionTime: readySince },
      ],
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: true, restartCount: restarts }],
    },
  });
}

const order = (...pods: ReturnType<typeof pod>[]) =>
  inDeletionOrder(pods, pods, NOW).map(({ metadata }) => metadata.name);

test.each<[string, Given, Given]>([
  ["has no node before one that has", { node: "" }, {}],
  ["is pending before one that runs", { phase: "Pending" }, {}],
  ["is not ready before one that is", { readySince: "never" }, {}],
  ["costs less before one that costs more", { cost: "-1" }, {}],
  ["has been ready for minutes before one for a day", { readySince: "2030-01-01T23:50:00Z" }, {}],
  ["restarts often before one that never did", { restarts: 3 }, {}],
  ["is young before one that is old", { created: "2030-01-01T23:59:00Z" }, {}],
])("a pod that %s is deleted first", (_, first, second) => {
  assert.deepEqual(order(pod("b", second), pod("a", first)), ["a", "b"]);
  assert.deepEqual(order(pod("b", first), pod("a", second)), ["b", "a"]);
});

test("of two nodes the fuller one gives first", () => {
  assert.equal(order(pod("a", { node: "one" }), pod("b", { node: "two" }), pod("c", { node: "two" }))[0], "b");
});
