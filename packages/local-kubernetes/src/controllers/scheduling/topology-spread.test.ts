import assert from "node:assert/strict";
import { aNode, aPod } from "@etcd-operator/testing/local/stored-objects.ts";
import type { TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { placement } from "./placement.ts";

const zoned = (name: string, zone: string) => aNode(name, { labels: { zone } });
const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")];
const labels = { app: "x" };
const at = (nodeName: string, name = nodeName, isGoing = false) => aPod(name, { labels, isGoing, spec: { nodeName } });

function spreading(more: Partial<TopologySpreadConstraint> = {}) {
  const constraint = {
    ...{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: labels } },
    ...more,
  };
  return aPod("new", { labels, spec: { topologySpreadConstraints: [constraint] } });
}

describe("a pod that must be spread", () => {
  test("goes to the part that has fewer, although that has less room", () => {
    const pods = [at("a1"), aPod("other", { spec: { nodeName: "b1" } }), aPod("third", { spec: { nodeName: "b1" } })];
    assert.deepEqual(placement(spreading(), { nodes, pods }), { node: "b1" });
  });

  test("waits when that part cannot take it", () => {
    const cordoned = [...nodes.slice(0, 2), aNode("b1", { labels: { zone: "b" }, spec: { unschedulable: true } })];
    assert.deepEqual(placement(spreading(), { nodes: cordoned, pods: [at("a1")] }), {
      unschedulable:
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. " +
        "preemption: 0/3 nodes are available: 2 No preemption victims found for incoming pod, " +
        "1 Preemption is not helpful for scheduling.",
    });
  });

  test("may be as uneven as it allows", () => {
    const pods = [at("a1"), aPod("o", { spec: { nodeName: "b1" } }), aPod("p", { spec: { nodeName: "b1" } })];
    const { metadata, spec } = spreading({ maxSkew: 2 });
    const here = { ...spreading(), metadata, spec: { ...spec, containers: [], nodeSelector: { zone: "a" } } };
    assert.ok("node" in placement(here, { nodes, pods }));
  });

  test("does not count pods that are going", () => {
    const pods = [at("a1", "going", true), at("b1")];
    const place = placement(spreading(), { nodes, pods });
    assert.ok("node" in place && place.node.startsWith("a"));
  });

  test("counts only parts that it could be in, unless told otherwise", () => {
    const { metadata, spec } = spreading();
    const bound = { ...spreading(), metadata, spec: { ...spec, containers: [], nodeSelector: { zone: "a" } } };
    assert.ok("node" in placement(bound, { nodes, pods: [at("a1"), at("a2")] }));
    const [constraint] = spreading({ nodeAffinityPolicy: "Ignore" }).spec?.topologySpreadConstraints ?? [];
    assert.ok(constraint);
    const all = { ...bound, spec: { ...bound.spec, topologySpreadConstraints: [constraint] } };
    assert.ok("unschedulable" in placement(all, { nodes, pods: [at("a1"), at("a2")] }));
  });

  test("waits for more parts where it wants a minimum of them", () => {
    const pods = [at("a1"), at("b1")];
    assert.ok("node" in placement(spreading({ minDomains: 2 }), { nodes, pods }));
    assert.ok("unschedulable" in placement(spreading({ minDomains: 3 }), { nodes, pods }));
  });

  test("cannot be on a node without the label", () => {
    const place = placement(spreading(), { nodes: [aNode("c")], pods: [] });
    assert.match(
      JSON.stringify(place),
      /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)/,
    );
  });
});

test("a pod that would like to be spread is, and runs all the same when it cannot be", () => {
  const wish = spreading({ whenUnsatisfiable: "ScheduleAnyway" });
  const pods = [at("a1"), at("a2")];
  assert.deepEqual(placement(wish, { nodes, pods }), { node: "b1" });
  assert.ok("node" in placement(wish, { nodes: nodes.slice(0, 2), pods }));
});

test("pods of one owner are spread although they ask for nothing", () => {
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "rs-uid", controller: true };
  const owned = (name: string, nodeName?: string) => {
    const pod = aPod(name, { spec: nodeName === undefined ? {} : { nodeName } });
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
  };
  const pods = [
    owned("one", "a1"),
    owned("two", "b1"),
    aPod("x", { spec: { nodeName: "a2" } }),
    aPod("y", { spec: { nodeName: "a2" } }),
  ];
  assert.deepEqual(placement(owned("new"), { nodes, pods }), { node: "a2" });
});
