import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import {
  clientServiceName,
  labelSelector,
  memberAddresses,
  memberHost,
  memberLabels,
  memberName,
} from "./cluster-names.ts";

describe("the names of coreos/etcd-operator", () => {
  test("a pod carries the labels by which its cluster finds it", () => {
    expect(memberLabels("example", "example-a")).toEqual({
      app: "etcd",
      etcd_cluster: "example",
      etcd_node: "example-a",
    });
  });

  test("the selector of the scale subresource finds every member", () => {
    expect(labelSelector("example")).toBe("app=etcd,etcd_cluster=example");
  });

  test("clients go through a Service of their own", () => {
    expect(clientServiceName("example")).toBe("example-client");
  });

  test.each([
    ["the longest name that is allowed today", "x".repeat(52), `${"x".repeat(52)}-abcdefghij`],
    ["a longer name, from before there was a limit", "y".repeat(60), `${"y".repeat(52)}-abcdefghij`],
  ])("a member of a cluster with %s has a name of 63 characters", (_, cluster, name) => {
    expect(memberName(cluster, "abcdefghij")).toBe(name);
    expect(name).toHaveLength(63);
  });
});

describe("the addresses of a member", () => {
  test.each([
    ["without a domain", {}, "example-a.example.prod.svc"],
    ["with an empty one", { pod: { ClusterDomain: "" } }, "example-a.example.prod.svc"],
    ["with one", { pod: { ClusterDomain: "k8s.test" } }, "example-a.example.prod.svc.k8s.test"],
  ])("%s", (_, spec, host) => {
    expect(memberHost(anEtcdCluster(spec), "example-a")).toBe(host);
  });

  test.each([
    ["no TLS", undefined, "http", "http"],
    ["TLS between members", { static: { member: { peerSecret: "peer" } } }, "https", "http"],
    ["TLS everywhere", STATIC_TLS, "https", "https"],
  ])("%s", (_, TLS, peer, client) => {
    expect(memberAddresses(anEtcdCluster({ TLS }), "example-a")).toEqual({
      listenPeerUrl: `${peer}://0.0.0.0:2380`,
      peerUrl: `${peer}://example-a.example.prod.svc:2380`,
      listenClientUrl: `${client}://0.0.0.0:2379`,
      clientUrl: `${client}://example-a.example.prod.svc:2379`,
      listenMetricsUrl: "http://0.0.0.0:2381",
    });
  });
});
