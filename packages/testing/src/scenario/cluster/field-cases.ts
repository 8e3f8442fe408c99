import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { etcdOf } from "./rolled.ts";

/** What an edit of a field does to the pods: another pod, a change in the pod that runs, or nothing at all. */
export type FieldEffect = "new pods" | "same pods" | "nothing";

export interface FieldCase {
  readonly effect: FieldEffect;
  readonly value: unknown;
  /** The value of the field afterwards; absent by default. */
  readonly before?: unknown;
  readonly isIn?: (pod: Pod) => unknown;
}

const flag = (text: string) => (pod: Pod) => etcdOf(pod).command?.includes(text);
export const nothing = (value: unknown, before: unknown = null): FieldCase => ({ effect: "nothing", value, before });
const tunable = (value: unknown, text: string): FieldCase => ({ effect: "new pods", value, isIn: flag(text) });
const AFFINITY = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] as object[] } };
AFFINITY.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution.push({
  weight: 1,
  preference: { matchExpressions: [{ key: "disk", operator: "Exists" }] },
});
const SPREAD = {
  maxSkew: 3,
  topologyKey: "rack",
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: { app: "etcd" } },
};

/** For each field of an EtcdCluster's spec a value that etcd does well with, and what it does to the pods. */
export const fieldCases: Readonly<Record<string, FieldCase>> = {
  repository: {
    effect: "same pods",
    value: "registry.example.com/mirror/etcd",
    before: "quay.io/coreos/etcd",
    isIn: (pod) => etcdOf(pod).image?.startsWith("registry.example.com/mirror/etcd:"),
  },
  version: {
    effect: "same pods",
    value: "3.5.35",
    before: "3.5.30",
    isIn: (pod) => /3\.5\.35/.test(etcdOf(pod).image ?? ""),
  },
  paused: nothing(true, false),
  "bootstrap.mode": nothing("Parallel", "Sequential"),
  "bootstrap.onExistingVolumes": nothing("Hold", "Reattach"),
  "memberReplacement.afterSeconds": nothing(90, 60),
  rebalance: nothing("Automatic", "Off"),
  "persistentVolumeClaimRetentionPolicy.whenDeleted": nothing("Retain", "Delete"),
  "persistentVolumeClaimRetentionPolicy.whenScaled": nothing("Retain", "Delete"),
  "recovery.backupName": nothing("nightly"),
  "upgrade.backupName": nothing("nightly"),
  "recovery.graceSeconds": nothing(400, 300),
  "etcd.autoCompactionMode": tunable("revision", "--auto-compaction-mode=revision"),
  "etcd.autoCompactionRetention": tunable("2", "--auto-compaction-retention=2"),
  "etcd.electionTimeoutMs": tunable(1500, "--election-timeout=1500"),
  "etcd.heartbeatIntervalMs": tunable(150, "--heartbeat-interval=150"),
  "etcd.maxRequestBytes": tunable(2_000_000, "--max-request-bytes=2000000"),
  "etcd.quotaBackendBytes": tunable(4_000_000_000, "--quota-backend-bytes=4000000000"),
  "etcd.snapshotCount": tunable(20_000, "--snapshot-count=20000"),
  "pod.DNSTimeoutInSecond": nothing(7),
  "pod.busyboxImage": nothing("busybox:1.28.0-glibc"),
  "pod.labels": { effect: "same pods", value: { team: "a" }, isIn: ({ metadata }) => metadata?.labels?.team === "a" },
  "pod.annotations": {
    effect: "same pods",
    value: { note: "a" },
    isIn: ({ metadata }) => metadata?.annotations?.note === "a",
  },
  "pod.nodeSelector": {
    effect: "new pods",
    value: { "kubernetes.io/os": "linux" },
    isIn: ({ spec }) => spec?.nodeSelector?.["kubernetes.io/os"] === "linux",
  },
  "pod.affinity": { effect: "new pods", value: AFFINITY, isIn: ({ spec }) => spec?.affinity?.nodeAffinity },
  "pod.tolerations": {
    effect: "new pods",
    value: [{ key: "dedicated", operator: "Exists" }],
    isIn: ({ spec }) => spec?.tolerations?.some(({ key }) => key === "dedicated"),
  },
  "pod.topologySpreadConstraints": {
    effect: "new pods",
    value: [SPREAD],
    isIn: ({ spec }) => spec?.topologySpreadConstraints?.some(({ topologyKey }) => topologyKey === "rack"),
  },
  "pod.resources": {
    effect: "new pods",
    value: { requests: { cpu: "15m" } },
    isIn: (pod) => etcdOf(pod).resources?.requests?.cpu === "15m",
  },
  "pod.etcdEnv": {
    effect: "new pods",
    value: [{ name: "ETCD_LOG_LEVEL", value: "warn" }],
    isIn: (pod) => etcdOf(pod).env?.some(({ name }) => name === "ETCD_LOG_LEVEL"),
  },
  "pod.imagePullPolicy": {
    effect: "new pods",
    value: "Always",
    isIn: (pod) => etcdOf(pod).imagePullPolicy === "Always",
  },
  "pod.imagePullSecrets": {
    effect: "new pods",
    value: [{ name: "registry" }],
    isIn: ({ spec }) => spec?.imagePullSecrets?.some(({ name }) => name === "registry"),
  },
  "pod.priorityClassName": {
    effect: "new pods",
    value: "system-cluster-critical",
    isIn: ({ spec }) => spec?.priorityClassName === "system-cluster-critical",
  },
  "pod.securityContext": {
    effect: "new pods",
    value: { supplementalGroups: [7] },
    isIn: ({ spec }) => spec?.securityContext?.supplementalGroups?.includes(7),
  },
  "pod.serviceAccountName": {
    effect: "new pods",
    value: "etcd",
    isIn: ({ spec }) => spec?.serviceAccountName === "etcd",
  },
  "pod.terminationGracePeriodSeconds": {
    effect: "new pods",
    value: 20,
    isIn: ({ spec }) => spec?.terminationGracePeriodSeconds === 20,
  },
};
