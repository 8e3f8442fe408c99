import assert from "node:assert/strict";
import { hasCode, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { injectedCluster } from "@etcd-operator/testing/node/injected.ts";
import { installOperator } from "@etcd-operator/testing/node/node-bed.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { conditionOf } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { ETCD_VERSIONS } from "./etcd-versions.ts";

const SETTLE_MS = 300_000;
const [version, newer] = ETCD_VERSIONS;
const namespace = "etcd";
const name = "example";
const ref = { namespace, name };
const cluster = await injectedCluster();
const { client } = cluster;

beforeAll(async () => {
  await installOperator(cluster.kubectl);
  // As the operator's own: members and workers run under the restricted profile of pod security.
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await cluster.apply(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    aManifest(name, { namespace, version, isClusterWide: true, claims: true, whenDeleted: "Delete" }),
  );
}, SETTLE_MS);

afterAll(async () => {
  await cluster.kubectl("delete", "namespace", namespace, "--wait=false");
});

describe("the operator as deploy/ installs it, on real nodes,", () => {
  test("brings a cluster of three up, which keeps what is written", { timeout: SETTLE_MS }, async () => {
    await settled(3);
    await write("before", "1");
    assert.equal(await read("before"), "1");
  });

  test("replaces a member whose pod is deleted, or starts it again on its claim", { timeout: SETTLE_MS }, async () => {
    const [victim] = await pods();
    assert.ok(victim);
    await client.delete(resources.pods, victim.metadata);
    const isGone = async () => !(await pods()).some(({ metadata }) => metadata.uid === victim.metadata.uid);
    await until(isGone, { what: "the pod to be gone", timeoutMs: 60_000 });
    await settled(3);
    assert.equal(await read("before"), "1");
  });

  test("grows to five members and shrinks to three", { timeout: 2 * SETTLE_MS }, async () => {
    await change({ size: 5 });
    await settled(5);
    await change({ size: 3 });
    await settled(3);
    assert.equal(await read("before"), "1");
  });

  test("rolls a new version out, member by member", { timeout: SETTLE_MS }, async () => {
    await change({ version: newer });
    const { status } = await settled(3);
    assert.equal(status?.currentVersion, newer);
    assert.equal(await read("before"), "1");
  });

  test("keeps running: no container of it has been restarted", async () => {
    const restarts = "jsonpath={.items[*].status.containerStatuses[*].restartCount}";
    assert.match(await operators("get", "pods", "-l", "name=etcd-operator", "-o", restarts), /^[0 ]+$/);
  });

  test("lets nothing remain of a cluster that is deleted", { timeout: SETTLE_MS }, async () => {
    await client.delete(ownResources.etcdClusters, ref);
    const isGone = async () => {
      const isStored = await client.get(ownResources.etcdClusters, ref).catch((error: unknown) => {
        if (hasCode(error, "not-found")) return undefined;
        throw error;
      });
      const { items: claims } = await client.list(resources.persistentVolumeClaims, { namespace });
      return isStored === undefined && (await pods()).length === 0 && claims.length === 0;
    };
    await until(isGone, { what: "the cluster, its pods and its claims to be gone", timeoutMs: 120_000 });
  });
});

async function settled(size: number): Promise<Stored<EtcdCluster>> {
  let last: Stored<EtcdCluster> | undefined;
  const isSettled = async () => {
    last = await client.get(ownResources.etcdClusters, ref);
    const { metadata, status } = last;
    const isSeen = status?.observedGeneration === metadata.generation && status?.phase === "Running";
    const isWhole = status?.size === size && status.members?.ready?.length === size;
    const busy = ["Progressing", "Scaling", "Upgrading", "Recovering"].some(
      (type) => conditionOf(last as EtcdCluster, type)?.status === "True",
    );
    return isSeen && isWhole && !busy && conditionOf(last, "Ready")?.status === "True" && last;
  };
  return until(isSettled, { what: `${size} ready members`, timeoutMs: SETTLE_MS, everyMs: 500 }).catch(
    async (error: Error) => {
      const seen = await cluster.kubectl("-n", namespace, "get", "pods,events", "-o", "wide").catch(String);
      throw new Error(`${error.message}; the status: ${JSON.stringify(last?.status)}\n${seen}`, { cause: error.cause });
    },
  );
}

async function change(spec: Partial<EtcdCluster["spec"]>): Promise<void> {
  await client.patch(ownResources.etcdClusters, ref, { merge: { spec } });
}

async function pods(): Promise<readonly Stored<{ metadata: { name: string; uid: string } }>[]> {
  const labelSelector = `etcd_cluster=${name}`;
  return (await client.list(resources.pods, { namespace, labelSelector })).items;
}

async function write(key: string, value: string): Promise<void> {
  await etcdctl("put", key, value);
}

async function read(key: string): Promise<string> {
  return (await etcdctl("get", key, "--print-value-only")).trim();
}

// By the name of the Service, so that the DNS and the Service are part of it.
async function etcdctl(...args: string[]): Promise<string> {
  const [pod] = await pods();
  assert.ok(pod);
  const command = ["etcdctl", `--endpoints=http://${name}-client.${namespace}.svc:2379`, ...args];
  return cluster.kubectl("-n", namespace, "exec", pod.metadata.name, "-c", "etcd", "--", ...command);
}

function operators(...args: string[]): Promise<string> {
  return cluster.kubectl("-n", "etcd-operator", ...args);
}
