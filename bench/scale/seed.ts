import { resources } from "../../src/kubernetes/resources.ts";
import type { KubeClient } from "../../src/kubernetes/rest-client.ts";
import { type ClusterObjects, copiedCluster, copiedObjects } from "./copied-cluster.ts";

const AT_ONCE = 32;

/** Writes copies of a cluster as the operator and a kubelet would have left them; `from` is the first, `to` the one after the last. */
export async function seed(client: KubeClient, original: ClusterObjects, from: number, to: number): Promise<void> {
  const indexes = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).values();
  const work = async () => {
    for (const index of indexes) await writeCopy(client, original, index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function writeCopy(client: KubeClient, original: ClusterObjects, index: number): Promise<void> {
  const cluster = await client.create(resources.etcdClusters, copiedCluster(original, index));
  const { status, services, budgets, pods } = copiedObjects(original, index, cluster.metadata.uid);
  for (const service of services) await client.create(resources.services, service);
  for (const budget of budgets) await client.create(resources.podDisruptionBudgets, budget);
  for (const pod of pods) {
    const { metadata } = await client.create(resources.pods, pod);
    await client.updateStatus(resources.pods, { ...pod, metadata });
  }
  await client.updateStatus(resources.etcdClusters, { ...cluster, status });
}
