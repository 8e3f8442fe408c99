import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Connect } from "../../transfer/snapshot/choose-member.ts";
import { membersOfCluster } from "../../transfer/snapshot/members-of-cluster.ts";
import { SnapshotError } from "../../transfer/snapshot/snapshot-error.ts";
import type { MemberSeen } from "../observation.ts";

const TIMEOUT_MS = 5_000;

/** Requests the status of every member of a cluster; a member that does not respond is not in the list. */
export async function membersSeen(
  { client, connect = connectEtcd }: { client: Pick<KubeClient, "get" | "list">; connect?: Connect | undefined },
  cluster: Stored<EtcdCluster>,
  signal: AbortSignal,
): Promise<readonly MemberSeen[]> {
  const found = await membersOfCluster(client, cluster.metadata, undefined, signal).catch(noMembers);
  if (!found) return [];
  const { clusterId, endpoints } = found;
  const expected = clusterId === undefined ? {} : { expectClusterId: clusterId };
  const asked = await Promise.all(endpoints.map((endpoint) => ask(connect(endpoint, expected), signal)));
  signal.throwIfAborted();
  return asked.flatMap((member) => member ?? []);
}

/** Without a certificate that members accept there is no answer, and that is reported as such. */
function noMembers(error: unknown): undefined {
  if (!(error instanceof SnapshotError)) throw error;
}

async function ask(client: EtcdClient, signal: AbortSignal): Promise<MemberSeen | undefined> {
  const options = { timeoutMs: TIMEOUT_MS, signal };
  try {
    // A healthy one has just read through a majority, so that the revision it reports afterwards is not an old one.
    const { health } = await client.health(options);
    const { isLearner, revision } = await client.status(options);
    return { isHealthy: health === "healthy", isLearner, revision: Number(revision) };
  } catch (error) {
    if (error instanceof EtcdError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}
