import type { Service, ServicePort } from "kubernetes-types/core/v1.d.ts";
import {
  CLIENT_PORT,
  clientServiceName,
  clusterLabels,
  namespaceOf,
  PEER_PORT,
  peerServiceName,
} from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ownerReference } from "./owner.ts";

/** The headless Service. Members must find each other before any of them is ready, so it names all of them. */
export function peerService(cluster: EtcdCluster): Service {
  const service = serviceOf(cluster, peerServiceName(cluster.metadata.name), [
    port("client", CLIENT_PORT),
    port("peer", PEER_PORT),
  ]);
  return { ...service, spec: { ...service.spec, clusterIP: "None", publishNotReadyAddresses: true } };
}

/**
 * The Service for clients, which leads to members that are ready: said in so many words, so that a patch can bring it
 * back.
 */
export function clientService(cluster: EtcdCluster): Service {
  const service = serviceOf(cluster, clientServiceName(cluster.metadata.name), [port("client", CLIENT_PORT)]);
  return { ...service, spec: { ...service.spec, publishNotReadyAddresses: false } };
}

function serviceOf(cluster: EtcdCluster, name: string, ports: ServicePort[]): Service {
  const labels = clusterLabels(cluster.metadata.name);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: namespaceOf(cluster), labels, ownerReferences: [ownerReference(cluster)] },
    spec: { type: "ClusterIP", selector: labels, ports },
  };
}

function port(name: string, number: number): ServicePort {
  return { name, port: number, targetPort: number, protocol: "TCP" };
}
