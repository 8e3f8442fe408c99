import assert from "node:assert/strict";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { describe, test } from "vitest";
import { leasePlace } from "./lease-place.ts";
import { scopeOf } from "./scope.ts";

const annotated = { annotations: { "etcd.database.coreos.com/scope": "clusterwide" } };
const otherwise = { annotations: { "etcd.database.coreos.com/scope": "namespaced" } };
const here = { namespace: "here" };
const there = { namespace: "there" };

const namespaced = scopeOf({ clusterWide: false, namespace: "here" });
const clusterwide = scopeOf({ clusterWide: true, namespace: "here" });

describe("an object is managed", () => {
  test.each([
    ["of the operator's namespace", here, true, false],
    ["of the operator's namespace, annotated clusterwide", { ...here, ...annotated }, false, true],
    ["of the operator's namespace, annotated with something else", { ...here, ...otherwise }, true, false],
    ["of another namespace", there, false, false],
    ["of another namespace, annotated clusterwide", { ...there, ...annotated }, false, true],
    ["of another namespace, annotated with something else", { ...there, ...otherwise }, false, false],
  ])("%s", (_, metadata, byNamespaced, byClusterwide) => {
    const object = configMap("example", "1", metadata);
    assert.deepEqual([namespaced.covers(object), clusterwide.covers(object)], [byNamespaced, byClusterwide]);
  });
});

test("a cluster-wide operator looks into all namespaces, another one only into its own", () => {
  assert.deepEqual([clusterwide.namespace, namespaced.namespace], [undefined, "here"]);
});

describe("candidates meet at one Lease", () => {
  test("when they manage the same namespace, wherever they run", () => {
    assert.deepEqual(leasePlace("clusters", namespaced), {
      namespace: "here",
      name: "etcd-operator-clusters-namespaced",
    });
  });

  test("when they manage all namespaces, wherever they run", () => {
    const elsewhere = scopeOf({ clusterWide: true, namespace: "there" });
    assert.deepEqual(leasePlace("clusters", elsewhere), leasePlace("clusters", clusterwide));
  });

  test("but not when they share no objects", () => {
    const scopes = [clusterwide, namespaced, scopeOf({ clusterWide: false, namespace: "default" })];
    const places = scopes.flatMap((scope) => ["clusters", "backups"].map((name) => leasePlace(name, scope)));
    assert.equal(new Set(places.map(({ namespace, name }) => `${namespace}/${name}`)).size, 6);
  });
});
