import type { Member } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Condition } from "@etcd-operator/operator/api/condition.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

interface Truth {
  readonly cluster: Stored<EtcdCluster>;
  readonly members: readonly Member[];
  readonly pods: readonly Stored<Pod>[];
}

export function conditionOf({ status }: EtcdCluster, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function is(cluster: EtcdCluster, type: string, status: Condition["status"] = "True"): boolean {
  return conditionOf(cluster, type)?.status === status;
}

/** What is not yet as it should be, or is not said as it is. */
export function unsettled({ cluster, members, pods }: Truth, size: number): readonly string[] {
  const { metadata, status } = cluster;
  const inEtcd = names(members.map(({ name }) => name));
  const isReady = (pod: Pod) => pod.status?.conditions?.some(({ type, status: s }) => type === "Ready" && s === "True");
  const facts: readonly (readonly [string, unknown, unknown])[] = [
    ["members", members.length, size],
    ["learners", members.filter(({ isLearner }) => isLearner).length, 0],
    ["pods", names(pods.map((pod) => pod.metadata.name)), inEtcd],
    // Ready it may be for a while yet.
    ["pods that go", names(pods.filter(isGoing).map((pod) => pod.metadata.name)), ""],
    ["ready pods", names(pods.filter(isReady).map((pod) => pod.metadata.name)), inEtcd],
    ["observedGeneration", status?.observedGeneration, metadata.generation],
    ["phase", status?.phase, "Running"],
    ["status.size", status?.size, size],
    ["readyMembers", status?.readyMembers, size],
    ["members.ready", names(status?.members?.ready ?? []), inEtcd],
    ["members.unready", names(status?.members?.unready ?? []), ""],
    ["memberStatus", names((status?.memberStatus ?? []).map(({ name }) => name)), inEtcd],
    ["memberIntents", status?.memberIntents?.length ?? 0, 0],
    ["state", status?.state, cluster.spec.paused ? "Paused" : "Ready"],
    ["Ready", conditionOf(cluster, "Ready")?.status, "True"],
    ["Available", conditionOf(cluster, "Available")?.status, "True"],
    ...["Progressing", "Stalled", "Recovering", "Scaling", "Upgrading", "Degraded", "QuorumLost"].map(
      (type) => [type, is(cluster, type), false] as const,
    ),
  ];
  return facts
    .filter(([, found, wanted]) => found !== wanted)
    .map(([what, found, wanted]) => told(what, found, wanted));
}

function isGoing({ metadata }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function names(list: readonly string[]): string {
  return [...list].sort().join(",");
}

function told(what: string, found: unknown, wanted: unknown): string {
  return `${what} is '${found}' instead of '${wanted}'`;
}
