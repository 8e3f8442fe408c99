import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { objectsWritten, type Written } from "./objects-under-test.ts";
import { plainText } from "./plain-text.ts";

const MEMBER = { peerSecret: "peer", serverSecret: "server" };

describe("a cluster with TLS", () => {
  test("has pods that speak TLS, except with their probes", () => {
    const flags = ["--listen-peer-urls=https://0.0.0.0:2380", "--listen-metrics-urls=http://0.0.0.0:2381"];
    assert.deepEqual(found(aCluster(MEMBER), aPod(...flags)), []);
  });

  test.each([
    ["--listen-peer-urls=http://0.0.0.0:2380"],
    ["--initial-cluster=a-1=https://a-1:2380,a-2=http://a-2:2380"],
    ["--advertise-client-urls=http://a-1:2379"],
  ])("never has a pod that does not: %s", (flag) => {
    assert.deepEqual(found(aCluster(MEMBER), aPod(flag)), [`a-1 speaks without TLS: ${flag}`]);
  });

  test("never had one for a moment", () => {
    const pod = aPod("--listen-peer-urls=http://0.0.0.0:2380");
    assert.equal(found(aCluster(MEMBER), pod, ["pods/a-1", undefined]).length, 1);
  });

  test("may have it for one of the two only, or not at all", () => {
    const pod = aPod("--listen-client-urls=http://0.0.0.0:2379");
    assert.deepEqual(found(aCluster({ peerSecret: "peer" }), pod), []);
    assert.deepEqual(found(aCluster(undefined), pod), []);
  });

  function found(...writes: readonly Written[]): readonly string[] {
    return plainText(objectsWritten(...writes).events);
  }

  function aCluster(member: object | undefined): Written {
    return ["etcdclusters/a", { spec: member ? { TLS: { static: { member } } } : {} }];
  }

  function aPod(...command: readonly string[]): Written {
    return ["pods/a-1", { metadata: { labels: { etcd_cluster: "a" } }, spec: { containers: [{ command }] } }];
  }
});
