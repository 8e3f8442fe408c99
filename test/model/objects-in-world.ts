import { rfc3339, type Stored } from "@etcd-operator/kubernetes-client";
import { memberLabels, namespaceOf } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { formatClusterRecord } from "@etcd-operator/operator/cluster/bootstrap/cluster-record.ts";
import { exitCodeOf } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { ownerReference } from "@etcd-operator/operator/cluster/objects/owner.ts";
import { GUARD_CONTAINER } from "@etcd-operator/operator/cluster/objects/pod/guard-container.ts";
import { ETCD_CONTAINER } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import type {
  PersistentVolumeClaim as ClaimObject,
  ContainerStatus,
  PodCondition,
  Pod as PodObject,
} from "kubernetes-types/core/v1.d.ts";
import type { Claim, Pod, World } from "./world.ts";

type Annotations = Readonly<Record<string, string | undefined>>;

/** A pod as the API server has it: what the operator wrote, and what the kubelet says of it. */
export function podObject(world: World, pod: Pod): Stored<PodObject> {
  const { name, uid, version, createdAtMs, spec } = pod;
  const { metadata } = world.cluster;
  const [etcd, ...others] = spec.containers;
  const isScheduled = pod.emptyDir !== undefined || world.claims.has(name);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: namespaceOf(world.cluster),
      uid,
      resourceVersion: String(version),
      creationTimestamp: rfc3339(createdAtMs),
      ...deletionOf(pod.isTerminating, pod.deletedAtMs ?? world.nowMs),
      labels: { ...pod.labels, ...memberLabels(metadata.name, name) },
      annotations: annotationsOf(pod),
      ownerReferences: [ownerReference(world.cluster)],
    },
    spec: {
      ...spec,
      containers: [{ ...etcd, name: ETCD_CONTAINER, image: pod.image }, ...others],
      ...(isScheduled && { nodeName: pod.place }),
    },
    status: statusOf(pod),
  } as Stored<PodObject>;
}

/** The claim of a member as the API server has it. */
export function claimObject(world: World, claim: Claim): Stored<ClaimObject> {
  const { name, uid, version, annotations, storage, isOwned } = claim;
  const { metadata } = world.cluster;
  const { incarnation, memberId, clusterId, claimHash, returnsWith, record, isLeaving } = claim;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name,
      namespace: namespaceOf(world.cluster),
      uid,
      resourceVersion: String(version),
      creationTimestamp: rfc3339(world.nowMs),
      ...deletionOf(claim.isTerminating, world.nowMs),
      labels: memberLabels(metadata.name, name),
      annotations: withoutAbsent({
        ...annotations,
        [ANNOTATIONS.incarnation]: incarnation?.toString(),
        [ANNOTATIONS.memberId]: memberId,
        [ANNOTATIONS.clusterId]: clusterId,
        [ANNOTATIONS.claimHash]: claimHash,
        [ANNOTATIONS.returnsWith]: returnsWith && `${returnsWith.from} ${returnsWith.to}`,
        [ANNOTATIONS.clusterRecord]: record && formatClusterRecord(record),
        [ANNOTATIONS.leaving]: isLeaving && "true",
      }),
      ...(isOwned && { ownerReferences: [ownerReference(world.cluster)] }),
    },
    spec: { resources: { requests: { storage } } },
    status: { phase: "Bound" },
  } as Stored<ClaimObject>;
}

function deletionOf(isTerminating: boolean, deletedAtMs: number) {
  return isTerminating ? { deletionTimestamp: rfc3339(deletedAtMs), deletionGracePeriodSeconds: 0 } : {};
}

/** Where a field of the model and an annotation say the same, the field counts: steps of the world change fields. */
function annotationsOf(pod: Pod): Record<string, string> {
  const isNoted = pod.annotations[ANNOTATIONS.version] !== undefined;
  return withoutAbsent({
    ...pod.annotations,
    ...(isNoted && { [ANNOTATIONS.version]: pod.etcdVersion }),
    [ANNOTATIONS.specHash]: pod.specHash,
    [ANNOTATIONS.memberId]: pod.memberId,
    [ANNOTATIONS.clusterId]: pod.clusterId,
  });
}

function withoutAbsent(annotations: Annotations): Record<string, string> {
  const present: Record<string, string> = {};
  for (const key in annotations) {
    const value = annotations[key];
    if (value !== undefined) present[key] = value;
  }
  return present;
}

const PHASES = { pending: "Pending", running: "Running", ended: "Failed" } as const;

function statusOf(pod: Pod): PodObject["status"] {
  const { stage, refusal, isUp } = pod;
  return {
    phase: PHASES[stage],
    ...(stage === "running" && { podIP: addressOf(pod) }),
    conditions: conditionsOf(pod),
    containerStatuses: [etcdStatus(pod)],
    ...(refusal !== undefined && {
      initContainerStatuses: [
        {
          name: GUARD_CONTAINER,
          image: "",
          imageID: "",
          ready: false,
          restartCount: 0,
          state: isUp ? { terminated: { exitCode: 0 } } : { terminated: { exitCode: exitCodeOf(refusal) } },
        },
      ],
    }),
  };
}

/** Every pod has one of its own. */
export function addressOf({ uid }: Pod): string {
  const number = Number(uid.slice(uid.lastIndexOf("-") + 1));
  return `10.0.${(number >> 8) & 255}.${number & 255}`;
}

function conditionsOf(pod: Pod): PodCondition[] {
  const { wasReady, notReadySinceMs, isPastGuard, gate, createdAtMs, trouble, isUp } = pod;
  const sinceMs = wasReady ? createdAtMs : notReadySinceMs;
  return [
    ...(trouble === "Unschedulable" && !isUp ? [{ type: "PodScheduled", status: "False", reason: trouble }] : []),
    { type: "Initialized", status: isPastGuard ? "True" : "False" },
    ...(sinceMs === undefined
      ? []
      : [{ type: "Ready", status: wasReady ? "True" : "False", lastTransitionTime: rfc3339(sinceMs) }]),
    ...(gate === "absent" ? [] : [{ type: VOTER_CONDITION, status: gate === "open" ? "True" : "False" }]),
  ];
}

/** A pod that was stopped has another container once its kubelet knows: one that has no etcd in it. */
function etcdStatus(pod: Pod): ContainerStatus {
  const { uid, runs, image, isFenceSeen, isSaidToRun, fencedImage } = pod;
  const isStopped = fencedImage !== undefined && isFenceSeen === true;
  const made = isStopped ? { image, id: `${uid}-stopped` } : runs;
  return {
    name: ETCD_CONTAINER,
    image: made?.image ?? image,
    imageID: made ? `id of ${made.image}` : "",
    ...(made && { containerID: made.id }),
    ready: pod.wasReady,
    restartCount: 0,
    state: isSaidToRun && !isStopped ? { running: {} } : { waiting: waitingOf(pod) },
  };
}

function waitingOf({ trouble, isUp }: Pod): { reason?: string } {
  return trouble === undefined || trouble === "Unschedulable" || isUp ? {} : { reason: trouble };
}

/** What a restore by policy takes. */
export function backupOf({ cluster }: World): Stored<EtcdBackup> {
  const lastBackup = { path: "b/k_v1", clusterID: cluster.status?.clusterID };
  const spec = { storageType: "S3", s3: { path: "b/k" } };
  return { metadata: { name: "nightly" }, spec, status: { lastBackup } } as unknown as Stored<EtcdBackup>;
}

export function restoreOf({ cluster }: World, name: string): Stored<EtcdRestore> {
  const ownerReferences = [{ uid: cluster.metadata.uid }];
  return { metadata: { name, ownerReferences } } as unknown as Stored<EtcdRestore>;
}
