import assert from "node:assert/strict";
import type { EtcdClusterSpec } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import { describe, test } from "vitest";
import { type ClusterObjects, copiedCluster, copiedObjects } from "./copied-cluster.ts";
import { addressOf, clusterName, idOf } from "./fleet-names.ts";

const [FROM, TO] = [clusterName(0), clusterName(7)];
const OWNER = "3b6c8e0e-0b1f-4d55-9d0a-6a4b0c3a7f10";
const hex = (name: string) => idOf(name).toString(16);

/** With a Secret of its own. */
function specOf(name: string): EtcdClusterSpec {
  const TLS = { static: { operatorSecret: "all", member: { serverSecret: `${name}-server` } } };
  return { size: 3, TLS } as EtcdClusterSpec;
}

function anOriginal(): ClusterObjects {
  const stored = (name: string) => ({
    name,
    namespace: "scale",
    uid: `uid of ${name}`,
    resourceVersion: "5",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ownerReferences: [{ apiVersion: "v1", kind: "EtcdCluster", name: FROM, uid: OWNER }],
  });
  const pod = (member: number) => ({
    metadata: {
      ...stored(`${FROM}-m${member}`),
      annotations: { member: hex(`${FROM}-m${member}`), cluster: hex(FROM), spec: specHash(specOf(FROM)) },
    },
    spec: { containers: [], hostname: `${FROM}-m${member}` },
    status: { podIP: addressOf(0, member), podIPs: [{ ip: addressOf(0, member) }] },
  });
  return {
    cluster: {
      metadata: { ...stored(FROM), uid: OWNER },
      spec: specOf(FROM),
      status: { clusterID: hex(FROM), members: { ready: [`${FROM}-m0`] } },
    },
    services: [
      { metadata: stored(FROM), spec: { clusterIP: "None", clusterIPs: ["None"] } },
      { metadata: stored(`${FROM}-client`), spec: { clusterIP: "10.0.0.7", clusterIPs: ["10.0.0.7"] } },
    ],
    budgets: [{ metadata: stored(FROM), status: { currentHealthy: 3 } }],
    pods: [0, 1, 2].map(pod),
  } as unknown as ClusterObjects;
}

describe("a copy of a cluster", () => {
  const copy = copiedObjects(anOriginal(), 7, "another owner");

  test("is asked for as a user would", () => {
    assert.deepEqual(copiedCluster(anOriginal(), 7), {
      metadata: { name: TO, namespace: "scale" },
      spec: specOf(TO),
    });
  });

  test("has nothing of the original's names, ids, addresses or owner", () => {
    const text = JSON.stringify(copy);
    const foreign = [FROM, hex(FROM), hex(`${FROM}-m1`), `"${addressOf(0, 1)}"`, OWNER, "uid of", "10.0.0.7"];
    assert.deepEqual(
      foreign.filter((word) => text.includes(word)),
      [],
    );
  });

  test("says of each member what a simulated member says of itself", () => {
    const [, second] = copy.pods;
    assert.equal(second?.metadata?.annotations?.member, hex(`${TO}-m1`));
    assert.equal(second?.metadata?.annotations?.cluster, hex(TO));
    assert.equal(second?.metadata?.annotations?.spec, specHash(specOf(TO)), "made for the spec that it has");
    assert.equal(second?.status?.podIP, addressOf(7, 1));
    assert.equal(second?.metadata?.ownerReferences?.[0]?.uid, "another owner");
    assert.equal(copy.status?.clusterID, hex(TO));
  });

  test("keeps a Service headless, and lets the API server choose the address of the other", () => {
    assert.deepEqual(
      copy.services.map(({ spec }) => spec?.clusterIP),
      ["None", undefined],
    );
  });
});
