import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster, EtcdClusterSpec, EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { podHash } from "@etcd-operator/operator/cluster/objects/pod/pod-hash.ts";
import { specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import type { Pod, Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { addressOf, clusterName, idOf } from "./fleet-names.ts";

/** A cluster as the operator left it, and all that belongs to it. */
export interface ClusterObjects {
  readonly cluster: Stored<EtcdCluster>;
  readonly services: readonly Stored<Service>[];
  readonly budgets: readonly Stored<PodDisruptionBudget>[];
  readonly pods: readonly Stored<Pod>[];
}

/** What has to be written for a copy, after the EtcdCluster, whose UID is in all of it. */
export interface CopiedObjects {
  readonly status: EtcdClusterStatus | undefined;
  readonly services: readonly Service[];
  readonly budgets: readonly PodDisruptionBudget[];
  /** Each with the status that a kubelet has written. */
  readonly pods: readonly Pod[];
}

/** The EtcdCluster of a copy, as a user writes it. */
export function copiedCluster({ cluster }: ClusterObjects, index: number): EtcdCluster {
  const { name: from, namespace } = cluster.metadata;
  const name = clusterName(index);
  // It may name Secrets of its own.
  const spec = JSON.parse(JSON.stringify(cluster.spec).replaceAll(from, name));
  return { metadata: { name, namespace }, spec } as EtcdCluster;
}

/** The rest of a copy: other names, other ids, other addresses, another owner; in all else as the original is. */
export function copiedObjects(original: ClusterObjects, index: number, uid: string): CopiedObjects {
  const renamed = renaming(original, index, uid);
  const { cluster, services, budgets, pods } = original;
  return {
    status: renamed(cluster.status),
    services: services.map((service) => renamed(asNew(service))).map(withoutAddress),
    budgets: budgets.map((budget) => renamed(withoutStatus(asNew(budget)))),
    pods: pods.map((pod) => renamed(asNew(pod))),
  };
}

function renaming(original: ClusterObjects, index: number, uid: string): <T>(value: T) => T {
  const { cluster, pods } = original;
  const [from, to] = [cluster.metadata.name, clusterName(index)];
  const hex = (name: string) => idOf(name).toString(16);
  const members = pods.flatMap(({ metadata, status }) => {
    const { name } = metadata;
    const member = memberAt(status?.podIP);
    return [
      [hex(name), hex(name.replace(from, to))],
      [`"${addressOf(0, member)}"`, `"${addressOf(index, member)}"`],
    ] as const;
  });
  const hashes = [cluster, copiedCluster(original, index)].map(({ spec }) => hashesOf(spec, original));
  const rehashed = (hashes[0] ?? []).map((hash, at) => [hash, hashes[1]?.[at] ?? hash] as const);
  // Ids and hashes follow from names, so they go first.
  const pairs = [...members, ...rehashed, [hex(from), hex(to)], [cluster.metadata.uid, uid], [from, to]] as const;
  return (value) => {
    if (value === undefined) return value;
    const text = pairs.reduce((changed, [old, next]) => changed.replaceAll(old, next), JSON.stringify(value));
    return JSON.parse(text);
  };
}

/** What the operator notes of a spec, on pods and in the status. */
function hashesOf(spec: EtcdClusterSpec, { pods }: ClusterObjects): readonly string[] {
  const hash = specHash(spec);
  const images = new Set(pods.flatMap(({ spec: { containers = [] } = {} }) => containers.map(({ image }) => image)));
  return [hash, ...[...images].map((image) => podHash({ specHash: hash, image }))];
}

function memberAt(address = ""): number {
  const member = [0, 1, 2].find((each) => addressOf(0, each) === address);
  if (member === undefined)
    throw new Error(`a pod of the original is at '${address}', where no member of it should be`);
  return member;
}

/** Without what the API server gives to every object by itself. */
function asNew<T extends Stored>(object: T): T {
  const { name, namespace, labels, annotations, ownerReferences } = object.metadata;
  return { ...object, metadata: { name, namespace, labels, annotations, ownerReferences } };
}

function withoutStatus<T extends { readonly status?: unknown }>({ status: _, ...object }: T): Omit<T, "status"> {
  return object;
}

function withoutAddress(service: Service): Service {
  const { clusterIP, clusterIPs: _, ...spec } = service.spec ?? {};
  return { ...service, spec: { ...spec, ...(clusterIP === "None" && { clusterIP }) }, status: {} };
}
