import type { EtcdCluster } from "../etcd-cluster.ts";

export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
/** Metrics and probes, without TLS. */
export const METRICS_PORT = 2381;

/** Where a member listens, and where the others and its clients find it. */
export interface MemberAddresses {
  readonly listenPeerUrl: string;
  readonly peerUrl: string;
  readonly listenClientUrl: string;
  readonly clientUrl: string;
  readonly listenMetricsUrl: string;
}

/** The labels of everything that belongs to a cluster, and the selector of its pods. */
export function clusterLabels(clusterName: string): Record<string, string> {
  return { app: "etcd", etcd_cluster: clusterName };
}

export function memberLabels(clusterName: string, member: string): Record<string, string> {
  return { ...clusterLabels(clusterName), etcd_node: member };
}

/** The selector of a cluster's pods as one text, for `status.labelSelector`. */
export function labelSelector(clusterName: string): string {
  return Object.entries(clusterLabels(clusterName))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** The headless Service: it gives each member its DNS name. */
export function peerServiceName(clusterName: string): string {
  return clusterName;
}

export function clientServiceName(clusterName: string): string {
  return `${clusterName}-client`;
}

export function disruptionBudgetName(clusterName: string): string {
  return clusterName;
}

// 63 characters are what a DNS label and a label's value may have; ten of them and a dash are the suffix.
const LONGEST_PREFIX = 52;

/**
 * The name of a member, its pod and its claim. Clusters of coreos/etcd-operator may have longer names: it truncated
 * them, and so do we.
 */
export function memberName(clusterName: string, suffix: string): string {
  return `${clusterName.slice(0, LONGEST_PREFIX)}-${suffix}`;
}

export function namespaceOf(cluster: EtcdCluster): string {
  return cluster.metadata.namespace ?? "default";
}

/** The DNS name of a member, which its certificates name too. */
export function memberHost(cluster: EtcdCluster, member: string): string {
  const domain = cluster.spec.pod?.ClusterDomain;
  const host = `${member}.${peerServiceName(cluster.metadata.name)}.${namespaceOf(cluster)}.svc`;
  return domain ? `${host}.${domain}` : host;
}

/** The URL for a new member; an existing one may be registered under other URLs, from before a change of TLS. */
export function memberAddresses(cluster: EtcdCluster, member: string): MemberAddresses {
  const host = memberHost(cluster, member);
  const { peerSecret, serverSecret } = cluster.spec.TLS?.static?.member ?? {};
  const [peer, client] = [schemeOf(peerSecret), schemeOf(serverSecret)];
  return {
    listenPeerUrl: `${peer}://0.0.0.0:${PEER_PORT}`,
    peerUrl: `${peer}://${host}:${PEER_PORT}`,
    listenClientUrl: `${client}://0.0.0.0:${CLIENT_PORT}`,
    clientUrl: `${client}://${host}:${CLIENT_PORT}`,
    listenMetricsUrl: `http://0.0.0.0:${METRICS_PORT}`,
  };
}

function schemeOf(secret: string | undefined): "http" | "https" {
  return secret ? "https" : "http";
}
