import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { UnreadableStatus } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { judgedObject, statusToWrite } from "./judged-object.ts";

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

describe("a status that cannot be read", () => {
  const restore = { name: "r", uid: "u", state: "Draining", incarnation: 2, revision: 7, keepsClaimsBelow: 2 };
  const withStatus = (status: object) => ({ ...received({ size: 3 }), status }) as never as Stored<EtcdCluster>;

  test.each([
    ["a state of a restore", { restore }, "status.restore.state"],
    ["a role", { memberStatus: [{ name: "a", role: "Witness", health: "Healthy" }] }, "status.memberStatus[0].role"],
    [
      "a purpose",
      { memberIntents: [{ name: "a", incarnation: 1, purpose: "Standby" }] },
      "status.memberIntents[0].purpose",
    ],
    ["a phase", { phase: "Hibernating" }, "status.phase"],
    ["another type", { incarnation: "two" }, "status.incarnation"],
  ])("by a newer release (%s) is not taken for one that says nothing", (_, status, field) => {
    const stored = withStatus({ observedGeneration: 1, ...status });
    assert.throws(
      () => judgedObject("EtcdCluster", stored),
      (error) => error instanceof UnreadableStatus && error.fields[0] === field && error.message.length < 300,
    );
  });

  test("is reported before an invalid spec is", () => {
    const stored = { ...withStatus({ observedGeneration: 1, restore }), spec: { size: 99 } } as never;
    assert.throws(() => judgedObject("EtcdCluster", stored), UnreadableStatus);
  });

  test("of coreos/etcd-operator is left out, field by field: it cannot be fixed", () => {
    const { object, problems } = judgedObject("EtcdCluster", withStatus({ phase: 7, size: 3, members: "a" }));
    assert.deepEqual([object.status, problems], [{ size: 3 }, []]);
  });

  test.each([{ size: 3 }, { size: 99 }])(
    "only in fields that are new is read, and they are written again: %j",
    (spec) => {
      const status = { observedGeneration: 1, clusterID: "c1", reason: "old", future: { a: 1 } };
      const stored = { ...withStatus(status), spec } as never as Stored<EtcdCluster>;
      const { object } = judgedObject("EtcdCluster", stored);
      assert.deepEqual(object.status, { observedGeneration: 1, clusterID: "c1", reason: "old" });
      assert.deepEqual(statusToWrite("EtcdCluster", object, { clusterID: "c2" }), {
        clusterID: "c2",
        future: { a: 1 },
      });
    },
  );
});
