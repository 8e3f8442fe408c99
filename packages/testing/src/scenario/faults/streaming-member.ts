import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { until } from "../../until.ts";
import type { ClusterUnderTest } from "../cluster/cluster-under-test.ts";

const CLIENT_PORT = 2379;
/** What ordinary clients get meanwhile is far less. */
const A_STREAM_BYTES = 4 * 2 ** 20;

/** The pod of the member that is sending a snapshot, or has just begun to: counted from when this was called first. */
export async function streamingMember(
  cluster: ClusterUnderTest,
  sentBefore: ReadonlyMap<string, number>,
): Promise<Stored<Pod>> {
  const hasSent = async () => {
    const pods = await cluster.pods();
    const now = await sentBytes(cluster);
    return pods.find(({ metadata: { name } }) => (now.get(name) ?? 0) - (sentBefore.get(name) ?? 0) > A_STREAM_BYTES);
  };
  return until(hasSent, { what: `a member of ${cluster.name} to send a snapshot` });
}

/** What each member has sent to clients since it started. */
export async function sentBytes(cluster: ClusterUnderTest): Promise<ReadonlyMap<string, number>> {
  const counts = (await cluster.pods()).map(async ({ metadata, status }) => {
    const text = await (await fetch(`http://${status?.podIP}:${CLIENT_PORT}/metrics`)).text();
    const [, count] = /^etcd_network_client_grpc_sent_bytes_total (\S+)$/m.exec(text) ?? [];
    return [metadata.name, Number(count)] as const;
  });
  return new Map(await Promise.all(counts));
}
