import assert from "node:assert/strict";
import { aNode, aPod, aVolume } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Pod, Taint } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { placement } from "./placement.ts";

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
    ["the labels that it selects", { nodeSelector: { "kubernetes.io/hostname": "a" } }],
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
      only("node(s) had untolerated taint(s)"),
      {},
      { spec: { taints: [{ key: "mine", value: "yes", effect: "NoSchedule" }] } },
    ],
    [only("Insufficient cpu"), needing({ cpu: "2" }), { status: { allocatable: { cpu: "1500m" } } }],
    [only("Insufficient memory"), needing({ memory: "2Gi" }), { status: { allocatable: { memory: "1Gi" } } }],
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

  test.each<[string, Partial<NonNullable<Pod["spec"]>>, Taint[]]>([
    ["a node without a taint that advises against it", {}, [{ key: "mine", effect: "PreferNoSchedule" }]],
    [
      "a node that it prefers, however full",
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchFields: [{ key: "metadata.name", operator: "In", values: ["b"] }] } },
            ],
          },
        },
      },
      [],
    ],
  ])("would rather have %s", (_, spec, taints) => {
    const nodes = [aNode("a", { spec: { taints } }), aNode("b")];
    const pods = ["one", "two"].map((name) => aPod(name, { spec: { nodeName: "b" } }));
    assert.deepEqual(placement(aPod("new", { spec }), { nodes, pods }), { node: "b" });
  });

  test("follows its volume where that cannot follow it", () => {
    const nodes = [aNode("a"), aNode("b")];
    const here = { key: "kubernetes.io/hostname", operator: "In", values: ["b"] };
    const bound = { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } } };
    const volumes = [aVolume("v", { spec: bound })];
    const pods = [aPod("old", { spec: { nodeName: "b" } })];
    assert.deepEqual(placement(aPod("new"), { nodes, pods, volumes }), { node: "b" });
    assert.deepEqual(placement(aPod("new"), { nodes: [aNode("a")], pods, volumes }), {
      unschedulable: only("node(s) didn't match PersistentVolume's node affinity"),
    });
  });

  test("goes where the smaller part of a node is requested", () => {
    const size = (cpu: string) => ({ status: { allocatable: { cpu, memory: "4Gi" } } });
    const nodes = [aNode("large", size("4")), aNode("small", size("2"))];
    const pods = ["large", "small"].map((nodeName) => aPod(nodeName, { spec: { nodeName, ...needing({ cpu: "1" }) } }));
    assert.deepEqual(placement(aPod("new"), { nodes, pods }), { node: "large" });
  });

  test("is told of every node why it does not suit, the same reasons together", () => {
    const nodes = [aNode("a", { spec: { unschedulable: true } }), aNode("b"), aNode("c")];
    const spec = needing({ cpu: "2" });
    const small = { status: { allocatable: { cpu: "2", pods: "1" } } };
    const pods = ["b", "c"].map((nodeName) => aPod(nodeName, { spec: { nodeName, ...needing({ cpu: "1" }) } }));
    const crowded = [nodes[0], aNode("b", small), aNode("c", small)].filter((node) => node !== undefined);
    assert.deepEqual(placement(aPod("new", { spec }), { nodes: crowded, pods }), {
      unschedulable:
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Too many pods. " +
        "preemption: 0/3 nodes are available: 2 No preemption victims found for incoming pod, " +
        "1 Preemption is not helpful for scheduling.",
    });
  });

  test("counts what others on the node have requested", () => {
    const nodes = [aNode("a", { status: { allocatable: { cpu: "1" } } })];
    const pods = [aPod("old", { spec: { nodeName: "a", ...needing({ cpu: "600m" }) } })];
    assert.ok("unschedulable" in placement(aPod("new", { spec: needing({ cpu: "600m" }) }), { nodes, pods }));
    assert.deepEqual(placement(aPod("new", { spec: needing({ cpu: "400m" }) }), { nodes, pods }), { node: "a" });
  });
});
