import assert from "node:assert/strict";
import { test } from "vitest";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { judgedObject } from "./judged-object.ts";
import type { Stored } from "./kube-object.ts";

function received(spec: object): Stored<EtcdCluster> {
  const metadata = { name: "example", uid: "1", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
  const status = { phase: "Running", members: { ready: ["a", "b", "c"] }, conditions: [] };
  return { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", metadata, spec, status } as never;
}

test("an object with its defaults holds together with the stored one what is equal in both, and changes nothing in it", () => {
  const stored = received({ size: 3, pod: { labels: { team: "a" } } });
  const before = structuredClone(stored);
  const { object, problems } = judgedObject("EtcdCluster", stored);
  assert.deepEqual([problems, stored], [[], before]);
  assert.equal(object.status, stored.status);
  assert.equal(object.spec.pod?.labels, stored.spec.pod?.labels);
  assert.notEqual(object.spec, stored.spec);
  assert.notEqual(object.spec.version, undefined);
  assert.equal(judgedObject("EtcdCluster", stored).object, object);
});
