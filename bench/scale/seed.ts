import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { type ClusterObjects, copiedCluster, copiedObjects } from "./copied-cluster.ts";
import type { FleetCertificates } from "./fleet-certificates.ts";
import { clusterName } from "./fleet-names.ts";

const AT_ONCE = 32;

/** What is copied, for whom, and what the copies do not share with it. */
export interface Seed {
  readonly client: KubeClient;
  readonly original: ClusterObjects;
  readonly certificates: FleetCertificates | undefined;
}

/**
 * Writes copies of a cluster as the operator and a kubelet would have left them; `from` is the first, `to` the one
 * after the last.
 */
export async function seed(given: Seed, from: number, to: number): Promise<void> {
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).values();
  const work = async () => {
    for (const index of indexes) await writeCopy(given, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function writeCopy({ client, original, certificates }: Seed, index: number): Promise<void> {
  for (const secret of (await certificates?.secretsOf(clusterName(index))) ?? [])
    await client.create(resources.secrets, secret);
  const cluster = await client.create(ownResources.etcdClusters, copiedCluster(original, index));
  const { status, services, budgets, pods } = copiedObjects(original, index, cluster.metadata.uid);
  for (const service of services) await client.create(resources.services, service);
  for (const budget of budgets) await client.create(resources.podDisruptionBudgets, budget);
  for (const pod of pods) {
    const { metadata } = await client.create(resources.pods, pod);
    await client.updateStatus(resources.pods, { ...pod, metadata });
  }
  await client.updateStatus(ownResources.etcdClusters, { ...cluster, status });
}
