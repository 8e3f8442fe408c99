import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { until } from "../../until.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";

const ROLL_MS = 240_000;

/** Waits until each member says that it runs this version, and the cluster says so and rests. */
export async function runsVersion(
  cluster: ClusterUnderTest,
  { version, size, timeoutMs = ROLL_MS }: { version: string; size: number; timeoutMs?: number },
): Promise<Stored<EtcdCluster>> {
  await cluster.becomes(`to run ${version}`, ({ status }) => status?.currentVersion === version, timeoutMs);
  const seen = await cluster.settled(size, timeoutMs);
  const told = (await cluster.answers()).map(({ pod, status }) => `${pod.metadata.name}: ${status.version}`);
  const wrong = told.filter((each) => !each.endsWith(`: ${version}`));
  if (told.length !== size || wrong.length > 0) throw new Error(`not all run ${version}: ${told.join(", ")}`);
  return seen;
}

/** Waits until as many pods as there are members are as they should be, and all else rests. */
export async function podsCarry(
  cluster: ClusterUnderTest,
  { what, size, is }: { what: string; size: number; is: (pod: Stored<Pod>) => unknown },
): Promise<Stored<EtcdCluster>> {
  const all = async () => {
    const pods = await cluster.pods();
    const hasArrived = (pod: Stored<Pod>) => !pod.metadata.deletionTimestamp && is(pod) && runsItsImage(pod);
    return pods.length === size && pods.every(hasArrived);
  };
  await until(all, { what: `all pods of ${cluster.name} to carry ${what}`, timeoutMs: ROLL_MS, everyMs: 200 });
  return cluster.settled(size);
}

/** Until a container of the image that its pod was given has started, the status may still show the previous one. */
function runsItsImage(pod: Pod): boolean {
  const told = pod.status?.containerStatuses?.find(({ name }) => name === "etcd");
  return told?.image === etcdOf(pod).image && told?.state?.running !== undefined;
}

export function etcdOf(pod: Pod) {
  const container = pod.spec?.containers.find(({ name }) => name === "etcd");
  if (!container) throw new Error(`pod ${pod.metadata?.name} has no etcd`);
  return container;
}

/** Waits until members run each of these versions side by side. */
export async function whenMixed(cluster: ClusterUnderTest, versions: readonly string[]): Promise<void> {
  const isMixed = async () => {
    const running = new Set((await cluster.answers()).map(({ status }) => status.version));
    return versions.every((version) => running.has(version));
  };
  await until(isMixed, { what: `${cluster.name} to run ${versions.join(" and ")}`, timeoutMs: ROLL_MS, everyMs: 50 });
}
