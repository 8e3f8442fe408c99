import { resources } from "@etcd-operator/kubernetes-client";
import { restoreRequestOf } from "@etcd-operator/operator/api/restore-request.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { WORKER_LABELS } from "@etcd-operator/operator/transfer/names.ts";
import { until } from "../../until.ts";
import type { CloudPlace } from "../backup/backup-places.ts";
import type { ClusterUnderTest } from "../cluster/cluster-under-test.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";

/**
 * The pod of the first member goes through the restore once, and is then replaced by one that has nothing to do with
 * it.
 */
export async function isRecreated(cluster: ClusterUnderTest): Promise<void> {
  const initContainers = async () => (await cluster.pods()).flatMap(({ spec }) => spec?.initContainers ?? []);
  const hasNone = async () => (await initContainers()).every(({ name }) => name === "guard");
  await until(hasNone, { what: `the first member of ${cluster.name} to be recreated`, timeoutMs: 120_000 });
}

/** Waits until all is gone that backups and restores made for themselves. */
export async function nothingIsLeft(scenario: ClusterScenario, place: Pick<CloudPlace, "unfinishedUploads">) {
  let left: readonly string[] = [];
  const isNothing = async () => {
    left = [...(await leftIn(scenario)), ...(await place.unfinishedUploads())];
    return left.length === 0;
  };
  const what = "all that is not needed any more to go";
  await until(isNothing, { what, timeoutMs: 60_000, everyMs: 200 }).catch((error: Error) => {
    throw new Error(`${error.message}; left are: ${left.join(", ")}`);
  });
}

async function leftIn({ client }: ClusterScenario): Promise<readonly string[]> {
  const inDefault = { namespace: "default" };
  const labelSelector = `app=${WORKER_LABELS.app}`;
  const [workers, secrets, restores, clusters] = await Promise.all([
    client.list(resources.pods, { ...inDefault, labelSelector }),
    client.list(resources.secrets, inDefault),
    client.list(ownResources.etcdRestores, inDefault),
    client.list(ownResources.etcdClusters, inDefault),
  ]);
  const transfers = secrets.items.filter(({ metadata }) => metadata.name.endsWith("-transfer"));
  const held = restores.items.filter(({ metadata }) => metadata.finalizers?.length);
  const asked = clusters.items.filter(({ metadata }) => restoreRequestOf(metadata));
  return [
    ...workers.items.map(({ metadata }) => `pod ${metadata.name}`),
    ...transfers.map(({ metadata }) => `Secret ${metadata.name}`),
    ...held.map(({ metadata }) => `the finalizer of EtcdRestore ${metadata.name}`),
    ...asked.map(({ metadata }) => `the request on EtcdCluster ${metadata.name}`),
  ];
}
