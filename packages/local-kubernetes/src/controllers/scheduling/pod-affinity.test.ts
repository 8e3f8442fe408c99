import assert from "node:assert/strict";
import { aNode, aPod, stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Affinity, Namespace } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { placement } from "./placement.ts";

const zoned = (name: string, zone: string) => aNode(name, { labels: { zone } });
const nodes = [zoned("a1", "a"), zoned("a2", "a"), zoned("b1", "b")];
const near = (app: string, topologyKey = "zone") => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const on = (nodeName: string, app: string, affinity: Affinity = {}) =>
  aPod(`${app}-${nodeName}`, { labels: { app }, spec: { nodeName, affinity } });
const wanting = (affinity: Affinity, app = "new") => aPod("new", { labels: { app }, spec: { affinity } });

const needs = (...terms: ReturnType<typeof near>[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const likes = (term: ReturnType<typeof near>, weight = 100): Affinity => ({
  podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] },
});
const dislikes = (term: ReturnType<typeof near>, weight = 100): Affinity => ({
  podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] },
});

describe("a pod that needs another nearby", () => {
  test("goes to that one's part of the cluster", () => {
    const pods = [on("b1", "db")];
    assert.deepEqual(placement(wanting(needs(near("db"))), { nodes, pods }), { node: "b1" });
  });

  test("waits while there is none", () => {
    const place = placement(wanting(needs(near("db"))), { nodes, pods: [] });
    assert.match(JSON.stringify(place), /3 node\(s\) didn't match pod affinity rules.*3 Preemption is not helpful/);
  });

  test("is the first of its kind where it needs its own kind", () => {
    assert.ok("node" in placement(wanting(needs(near("new"))), { nodes, pods: [] }));
    const pods = [on("b1", "new")];
    assert.deepEqual(placement(wanting(needs(near("new"))), { nodes, pods }), { node: "b1" });
  });

  test("looks into namespaces by their labels", () => {
    const term = { ...near("db"), namespaceSelector: { matchLabels: { team: "x" } } };
    const other = on("b1", "db");
    const pods = [{ ...other, metadata: { ...other.metadata, namespace: "far" } }];
    const namespaces = [stored<Namespace>("far", { metadata: { labels: { team: "x" } } })];
    assert.deepEqual(placement(wanting(needs(term)), { nodes, pods, namespaces }), { node: "b1" });
    assert.ok("unschedulable" in placement(wanting(needs(near("db"))), { nodes, pods, namespaces }));
  });
});

describe("a pod that would like", () => {
  test("another nearby goes there, although others have more room", () => {
    const pods = [on("b1", "db"), on("b1", "other")];
    assert.deepEqual(placement(wanting(likes(near("db"))), { nodes, pods }), { node: "b1" });
  });

  test("to be apart from another does so, and goes there all the same when there is no other place", () => {
    const pods = [on("a1", "db")];
    assert.deepEqual(placement(wanting(dislikes(near("db"))), { nodes, pods }), { node: "b1" });
    const [first] = nodes;
    assert.ok(first);
    assert.deepEqual(placement(wanting(dislikes(near("db"))), { nodes: [first], pods }), { node: "a1" });
  });
});

test("what others would like of a pod counts as well", () => {
  const fond = [on("b1", "fan", likes(near("new"))), on("b1", "other")];
  assert.deepEqual(placement(wanting({}), { nodes, pods: fond }), { node: "b1" });
  const shy = [on("a1", "shy", dislikes(near("new"))), on("b1", "x"), on("b1", "y")];
  assert.deepEqual(placement(wanting({}), { nodes, pods: shy }), { node: "b1" });
});
