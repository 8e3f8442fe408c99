import type { Endpoint } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { Trust } from "../trust/trust.ts";
import { endpointsGiven } from "./endpoints-given.ts";
import { membersOfCluster } from "./members-of-cluster.ts";

/** Where a snapshot may come from. */
export interface Origin {
  /** As in "EtcdCluster 'default/example'"; for messages. */
  readonly description: string;
  readonly endpoints: readonly Endpoint[];
  /** Answers of any other cluster do not count; undefined when none is known. */
  readonly clusterId: bigint | undefined;
}

export interface OriginRequest {
  readonly namespace: string;
  readonly spec: Pick<EtcdBackup["spec"], "etcdEndpoints" | "etcdCluster" | "clientTLSSecret">;
}

export interface OriginDeps {
  readonly client: Pick<KubeClient, "get" | "list">;
  readonly trust: Trust;
}

/** Finds the members from which a spec asks for a snapshot. Read live: it is needed seldom, and addresses change. */
export async function findOrigin(
  { client, trust }: OriginDeps,
  { namespace, spec }: OriginRequest,
  signal: AbortSignal,
): Promise<Origin> {
  const { etcdCluster, etcdEndpoints = [], clientTLSSecret } = spec;
  const secret = clientTLSSecret || undefined;
  if (etcdCluster) return membersOfCluster(client, { namespace, name: etcdCluster.name }, secret, signal);
  return endpointsGiven({ client, trust }, { namespace, endpoints: etcdEndpoints, secret }, signal);
}
