import type { Endpoint, EndpointTls } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, type ObjectRef, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT, labelSelector, memberHost } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { servesTls } from "../trust/serves-tls.ts";
import type { Origin } from "./origin.ts";
import { readCertificate } from "./read-certificate.ts";
import { SnapshotError } from "./snapshot-error.ts";

type Reader = Pick<KubeClient, "get" | "list">;

/**
 * The members of an EtcdCluster whose pods run. Each is dialled at its IP and recognised by its DNS name.
 * @param secret name of the Secret with our certificate; the cluster's own when undefined
 */
export async function membersOfCluster(
  client: Reader,
  ref: ObjectRef,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<Origin> {
  const cluster = await findCluster(client, ref, signal);
  const pods = await runningPods(client, cluster, signal);
  const tls = pods.some(servesTls) ? await tlsOf(client, cluster, secret, signal) : undefined;
  const { clusterID } = cluster.status ?? {};
  return {
    description: `EtcdCluster '${keyOf(ref)}'`,
    endpoints: pods.map((pod) => endpointOf(pod, cluster, servesTls(pod) ? tls : undefined)),
    clusterId: clusterID && /^[0-9a-f]{1,16}$/.test(clusterID) ? BigInt(`0x${clusterID}`) : undefined,
  };
}

async function findCluster(client: Reader, ref: ObjectRef, signal: AbortSignal): Promise<Stored<EtcdCluster>> {
  try {
    return await client.get(ownResources.etcdClusters, ref, { signal });
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
    const message = `EtcdCluster '${keyOf(ref)}' does not exist: create it, or correct spec.etcdCluster.name`;
    throw new SnapshotError("no-cluster", message, { cause: error });
  }
}

async function runningPods(client: Reader, { metadata }: Stored<EtcdCluster>, signal: AbortSignal) {
  const { namespace, name, uid } = metadata;
  const { items } = await client.list(resources.pods, { namespace, labelSelector: labelSelector(name), signal });
  return items.filter(
    (pod) =>
      pod.metadata.ownerReferences?.some((owner) => owner.uid === uid) &&
      pod.metadata.deletionTimestamp === undefined &&
      pod.status?.phase === "Running" &&
      pod.status.podIP,
  );
}

async function tlsOf(
  client: Reader,
  { metadata, spec }: Stored<EtcdCluster>,
  secret: string | undefined,
  signal: AbortSignal,
): Promise<EndpointTls> {
  const { namespace, name } = metadata;
  if (secret) return readCertificate(client, { namespace, name: secret }, "spec.clientTLSSecret", signal);
  const own = spec.TLS?.static?.operatorSecret;
  if (own) {
    const field = `spec.TLS.static.operatorSecret of EtcdCluster '${name}'`;
    return readCertificate(client, { namespace, name: own }, field, signal);
  }
  const message = `EtcdCluster '${name}' serves TLS and has no operatorSecret: set spec.clientTLSSecret to a Secret with a client certificate`;
  throw new SnapshotError("bad-certificate", message);
}

function endpointOf(pod: Stored<Pod>, cluster: Stored<EtcdCluster>, tls: EndpointTls | undefined): Endpoint {
  const ip = pod.status?.podIP ?? "";
  const address = `${ip.includes(":") ? `[${ip}]` : ip}:${CLIENT_PORT}`;
  return { address, ...(tls && { tls, serverName: memberHost(cluster, pod.metadata.name) }) };
}
