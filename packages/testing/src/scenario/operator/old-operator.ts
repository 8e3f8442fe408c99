import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import type { Pod, Service } from "kubernetes-types/core/v1.d.ts";

/** How a member of coreos/etcd-operator started: its seed with `new`, all others with `existing`. */
export interface OldMember {
  readonly name: string;
  readonly peers: readonly string[];
  readonly state: "new" | "existing";
}

/** Where the others find a member, as with coreos/etcd-operator. */
export function oldPeerUrl({ metadata }: Stored<EtcdCluster>, member: string): string {
  return `http://${member}.${metadata.name}.${metadata.namespace}.svc:2380`;
}

/** The Services that coreos/etcd-operator made. */
export function oldServices(cluster: Stored<EtcdCluster>): readonly Service[] {
  const { name, namespace = "" } = cluster.metadata;
  const selector = { app: "etcd", etcd_cluster: name };
  const client = { name: "client", port: 2379, targetPort: 2379, protocol: "TCP" };
  const peer = { name: "peer", port: 2380, targetPort: 2380, protocol: "TCP" };
  const metadata = { namespace, labels: selector, ownerReferences: [ownerOf(cluster)] };
  return [
    {
      metadata: { ...metadata, name },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector, ports: [client, peer] },
    },
    { metadata: { ...metadata, name: `${name}-client` }, spec: { selector, ports: [client] } },
  ];
}

/**
 * A member's pod as coreos/etcd-operator made it: never restarted, no annotation but the version, no readiness gate.
 */
export function oldPod(cluster: Stored<EtcdCluster>, member: OldMember): Pod {
  const { name: clusterName, namespace = "" } = cluster.metadata;
  const { version, repository } = cluster.spec;
  const { name } = member;
  return {
    metadata: {
      name,
      namespace,
      labels: { app: "etcd", etcd_cluster: clusterName, etcd_node: name },
      annotations: { "etcd.version": version },
      ownerReferences: [ownerOf(cluster)],
    },
    spec: {
      hostname: name,
      subdomain: clusterName,
      restartPolicy: "Never",
      automountServiceAccountToken: false,
      initContainers: [{ name: "check-dns", image: "busybox:1.28.0-glibc", command: ["/bin/sh", "-c", "true"] }],
      containers: [
        {
          name: "etcd",
          image: `${repository}:v${version}`,
          command: oldCommand(cluster, member),
          ports: [
            { name: "server", containerPort: 2380, protocol: "TCP" },
            { name: "client", containerPort: 2379, protocol: "TCP" },
          ],
          livenessProbe: {
            ...OLD_PROBE,
            initialDelaySeconds: 10,
            timeoutSeconds: 10,
            periodSeconds: 60,
            failureThreshold: 3,
          },
          readinessProbe: {
            ...OLD_PROBE,
            initialDelaySeconds: 1,
            timeoutSeconds: 5,
            periodSeconds: 5,
            failureThreshold: 3,
          },
          volumeMounts: [{ name: "etcd-data", mountPath: "/var/etcd" }],
        },
      ],
      volumes: [{ name: "etcd-data", emptyDir: {} }],
    },
  };
}

const OLD_PROBE = { exec: { command: ["/bin/sh", "-ec", "ETCDCTL_API=3 etcdctl endpoint status"] } };

function oldCommand(cluster: Stored<EtcdCluster>, { name, peers, state }: OldMember): string[] {
  const url = oldPeerUrl(cluster, name);
  const initial = [...peers, name].map((each) => `${each}=${oldPeerUrl(cluster, each)}`);
  return [
    "/usr/local/bin/etcd",
    "--data-dir=/var/etcd/data",
    `--name=${name}`,
    `--initial-advertise-peer-urls=${url}`,
    "--listen-peer-urls=http://0.0.0.0:2380",
    "--listen-client-urls=http://0.0.0.0:2379",
    `--advertise-client-urls=${url.replace(/2380$/, "2379")}`,
    `--initial-cluster=${initial.join(",")}`,
    `--initial-cluster-state=${state}`,
    ...(state === "new" ? ["--initial-cluster-token=9f1c0a9e-5f5e-4d66-9d43-0c6d6a3f2b11"] : []),
  ];
}

function ownerOf({ metadata: { name, uid } }: Stored<EtcdCluster>) {
  return { apiVersion: API_VERSION, kind: "EtcdCluster", name, uid, controller: true };
}
