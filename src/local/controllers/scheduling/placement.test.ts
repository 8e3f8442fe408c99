import assert from "node:assert/strict";
import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { aPod, stored } from "../../../../test/support/local/stored-objects.ts";
import { placement } from "./placement.ts";

function aNode(name: string, more: { spec?: Node["spec"]; status?: Node["status"]; isReady?: boolean } = {}) {
  const conditions = [{ type: "Ready", status: (more.isReady ?? true) ? "True" : "False" }];
  return stored<Node>(name, {
    metadata: { labels: { "kubernetes.io/hostname": name, disk: "ssd" } },
    spec: more.spec ?? {},
    status: { conditions, ...more.status },
  });
}

const apart = (app: string) => {
  const term = { labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname" };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
};
const needing = (requests: Record<string, string>) => ({ containers: [{ name: "c", resources: { requests } }] });

const only = (reason: string, preemption = "Preemption is not helpful for scheduling") =>
  `0/1 nodes are available: 1 ${reason}. preemption: 0/1 nodes are available: 1 ${preemption}.`;
const noVictims = "No preemption victims found for incoming pod";

describe("a pod", () => {
  test("goes to the node with the fewest pods", () => {
    const nodes = [aNode("a"), aNode("b")];
    const pods = [aPod("old", { spec: { nodeName: "a" } }), aPod("done", { phase: "Failed", spec: { nodeName: "b" } })];
    assert.deepEqual(placement(aPod("new"), { nodes, pods }), { node: "b" });
  });

  test("goes nowhere without a node", () => {
    const place = placement(aPod("new"), { nodes: [], pods: [] });
    assert.deepEqual(place, { unschedulable: "no nodes available to schedule pods" });
  });

  test.each<[string, Partial<NonNullable<Pod["spec"]>>]>([
    ["the labels that it selects", { nodeSelector: { disk: "ssd" } }],
    ["a toleration of every taint", { tolerations: [{ operator: "Exists" }] }],
    ["what it requests", needing({ cpu: "500m", memory: "1Gi" })],
  ])("goes to a node with %s", (_, spec) => {
    const node = aNode("a", { status: { allocatable: { cpu: "1", memory: "1Gi" } } });
    assert.deepEqual(placement(aPod("new", { spec }), { nodes: [node], pods: [] }), { node: "a" });
  });

  test.each<[string, Partial<NonNullable<Pod["spec"]>>, Parameters<typeof aNode>[1]]>([
    [only("node(s) didn't match Pod's node affinity/selector"), { nodeSelector: { disk: "hdd" } }, {}],
    [only("node(s) were unschedulable"), {}, { spec: { unschedulable: true } }],
    [
      only("node(s) had untolerated taint {mine: yes}"),
      {},
      { spec: { taints: [{ key: "mine", value: "yes", effect: "NoSchedule" }] } },
    ],
    [only("node(s) had untolerated taint {node.kubernetes.io/not-ready: }"), {}, { isReady: false }],
    [only("Insufficient cpu", noVictims), needing({ cpu: "2" }), { status: { allocatable: { cpu: "1500m" } } }],
    [
      only("Insufficient memory", noVictims),
      needing({ memory: "2Gi" }),
      { status: { allocatable: { memory: "1Gi" } } },
    ],
  ])("waits: %s", (message, spec, node) => {
    const place = placement(aPod("new", { spec }), { nodes: [aNode("a", node)], pods: [] });
    assert.deepEqual(place, { unschedulable: message });
  });

  test("keeps away from pods that it cannot stand, and from those that cannot stand it", () => {
    const nodes = [aNode("a")];
    const shy = aPod("shy", { labels: { app: "x" }, spec: { affinity: apart("x") } });
    const there = aPod("there", { labels: { app: "x" }, spec: { nodeName: "a" } });
    assert.deepEqual(placement(shy, { nodes, pods: [there] }), {
      unschedulable: only("node(s) didn't match pod anti-affinity rules", noVictims),
    });
    const shyThere = aPod("there", { spec: { nodeName: "a", affinity: apart("x") } });
    assert.deepEqual(placement(aPod("new", { labels: { app: "x" } }), { nodes, pods: [shyThere] }), {
      unschedulable: only("node(s) didn't satisfy existing pods anti-affinity rules", noVictims),
    });
  });

  test("does not mind pods on other nodes, in other namespaces, or finished ones", () => {
    const nodes = [aNode("a"), aNode("b")];
    const shy = aPod("shy", { labels: { app: "x" }, spec: { affinity: apart("x") } });
    const elsewhere = aPod("there", { labels: { app: "x" }, spec: { nodeName: "a" } });
    assert.deepEqual(placement(shy, { nodes, pods: [elsewhere] }), { node: "b" });
    const foreign = { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: "other" } };
    const done = aPod("done", { labels: { app: "x" }, phase: "Succeeded", spec: { nodeName: "b" } });
    assert.deepEqual(placement(shy, { nodes: [aNode("a")], pods: [foreign, done] }), { node: "a" });
  });

  test("counts what others on the node have requested", () => {
    const nodes = [aNode("a", { status: { allocatable: { cpu: "1" } } })];
    const pods = [aPod("old", { spec: { nodeName: "a", ...needing({ cpu: "600m" }) } })];
    assert.ok("unschedulable" in placement(aPod("new", { spec: needing({ cpu: "600m" }) }), { nodes, pods }));
    assert.deepEqual(placement(aPod("new", { spec: needing({ cpu: "400m" }) }), { nodes, pods }), { node: "a" });
  });
});
