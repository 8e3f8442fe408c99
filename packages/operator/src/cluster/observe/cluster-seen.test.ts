import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { clusterSeen } from "./cluster-seen.ts";

const METADATA = { name: "example", namespace: "prod", uid: "uid-1", resourceVersion: "7", generation: 2 };

describe("a cluster that is read", () => {
  test("has every default, and its identity", () => {
    const { cluster, problems } = clusterSeen(stored({ spec: { size: 3 } }));
    assert.deepEqual(problems, []);
    assert.deepEqual([cluster.spec.version, cluster.spec.memberReplacement.afterSeconds], ["", 60]);
    assert.deepEqual([cluster.kind, cluster.apiVersion], ["EtcdCluster", "etcd.database.coreos.com/v1beta2"]);
    assert.deepEqual(cluster.metadata, { ...METADATA, creationTimestamp: "2030-01-01T00:00:00Z" });
  });

  test("keeps a status of coreos/etcd-operator", () => {
    const condition = { type: "Available", status: "True", lastUpdateTime: "2018-01-01T00:00:00Z", reason: "x" };
    const status = { phase: "Running", size: 3, members: { ready: ["a"], unready: null }, conditions: [condition] };
    const { cluster } = clusterSeen(stored({ spec: { size: 3 }, status }));
    assert.deepEqual(cluster.status, { phase: "Running", size: 3, members: { ready: ["a"] }, conditions: [condition] });
  });

  test("says what is wrong with its spec, and shows it as it is", () => {
    const { cluster, problems } = clusterSeen(stored({ spec: { size: 0, version: "x" } }));
    assert.equal(problems.length, 2);
    assert.match(problems[0] ?? "", /^spec\.size: 0: too small/);
    assert.deepEqual([cluster.spec.size, cluster.spec.version], [0, "x"]);
  });

  test.each([undefined, null, "three", [], 3])("has no spec to speak of: %j", (spec) => {
    const { cluster, problems } = clusterSeen(stored({ spec }));
    assert.ok(problems.length > 0);
    assert.deepEqual(cluster.spec, {});
  });

  test.each([{ spec: { size: 3 } }, { spec: { size: 0 } }])(
    "loses of its status what cannot be read: %j",
    ({ spec }) => {
      const status = { phase: "Flying", memberStatus: "all well", clusterID: "c1" };
      const { cluster, problems } = clusterSeen(stored({ spec, status }));
      assert.deepEqual(cluster.status, { clusterID: "c1" });
      assert.equal(problems.length, spec.size === 0 ? 1 : 0);
    },
  );

  test("has no status when that is no block of fields", () => {
    assert.equal(clusterSeen(stored({ spec: { size: 3 }, status: "fine" })).cluster.status, undefined);
  });
});

function stored(content: object): Stored<EtcdCluster> {
  const metadata = { ...METADATA, creationTimestamp: "2030-01-01T00:00:00Z" };
  const type = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster" };
  return { ...type, metadata, ...content } as Stored<EtcdCluster>;
}
