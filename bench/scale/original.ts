import { setTimeout as pause } from "node:timers/promises";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { labelSelector } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { ClusterObjects } from "./copied-cluster.ts";
import { tlsOf } from "./fleet-certificates.ts";
import { clusterName, NAMESPACE, SIZE, VERSION } from "./fleet-names.ts";

const QUIET_MS = 2_000;

/** Has the operator make the first cluster of the fleet, and reads all of it once there are no more writes. */
export async function makeOriginal(
  client: KubeClient,
  isTls: boolean,
  diedEarly: Promise<never>,
): Promise<ClusterObjects> {
  const name = clusterName(0);
  const plain = aManifest(name, { namespace: NAMESPACE, size: SIZE, version: VERSION, bootstrap: "Parallel" });
  const manifest = isTls ? { ...plain, spec: { ...plain.spec, TLS: tlsOf(name) } } : plain;
  const isThere = () => client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
  await until(isThere, { what: "an EtcdCluster to be taken", unless: diedEarly });
  return until(async () => wholeAndAtRest(client, name), { what: `${name} to be whole`, unless: diedEarly });
}

async function wholeAndAtRest(client: KubeClient, name: string): Promise<ClusterObjects | undefined> {
  const before = await readCluster(client, name);
  if (!isWhole(before)) return undefined;
  await pause(QUIET_MS);
  const after = await readCluster(client, name);
  return JSON.stringify(before) === JSON.stringify(after) ? after : undefined;
}

async function readCluster(client: KubeClient, name: string): Promise<ClusterObjects> {
  const place = { namespace: NAMESPACE, labelSelector: labelSelector(name) };
  const [cluster, services, budgets, pods] = await Promise.all([
    client.get(ownResources.etcdClusters, { namespace: NAMESPACE, name }),
    client.list(resources.services, place),
    client.list(resources.podDisruptionBudgets, place),
    client.list(resources.pods, place),
  ]);
  return { cluster, services: services.items, budgets: budgets.items, pods: pods.items };
}

function isWhole({ cluster, services, budgets, pods }: ClusterObjects): boolean {
  const isReady = pods.every(({ status }) =>
    status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True"),
  );
  const { phase, readyMembers } = cluster.status ?? {};
  const isSettled = phase === "Running" && readyMembers === SIZE;
  return isSettled && isReady && pods.length === SIZE && services.length === 2 && budgets.length === 1;
}
