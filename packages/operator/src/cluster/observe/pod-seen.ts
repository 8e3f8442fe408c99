import { formatVersion, isSameRelease } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { startProgress } from "@etcd-operator/kubernetes-client";
import type { Pod, PodCondition } from "kubernetes-types/core/v1.d.ts";
import { parseEtcdVersion } from "../../api/cluster/etcd-version.ts";
import { RESTORE_CONTAINER } from "../../transfer/names.ts";
import { type Refusal, refusalOf } from "../guard/refusal.ts";
import type { AnswerSeen, PodMetadata, PodSeen } from "../model/observation.ts";
import { type Asked, parseAdmissionNote } from "../objects/admission-note.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "../objects/annotations.ts";
import { GUARD_CONTAINER } from "../objects/pod/guard-container.ts";
import { ETCD_CONTAINER } from "../objects/pod/pod.ts";
import { appliedKeys } from "../objects/pod/pod-metadata.ts";
import { asksForLivez, awaitsNewImage, isEtcdRunning, statusOf } from "./etcd-container.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { podTrouble } from "./pod-trouble.ts";

/** A pod of a member as the rules see it. */
export function podSeen(pod: Stored<Pod>, answer: AnswerSeen, lacksSecret = false): PodSeen {
  const { metadata, spec, status } = pod;
  const {
    version: noted,
    specHash,
    incarnation,
    memberId,
    clusterId,
    fenced,
    logReached,
    askedImage,
  } = ownAnnotations(pod);
  const ready = conditionOf(pod, "Ready");
  const changed = parseAdmissionNote(metadata.annotations?.[ANNOTATIONS.changedByAdmission]);
  const etcd = spec?.containers.find(({ name }) => name === ETCD_CONTAINER);
  const hasAskedImage = askedImage !== undefined && [etcd?.image, changed.image].includes(askedImage);
  const version = (hasAskedImage ? versionIn(askedImage) : undefined) ?? noted;
  const progress = startProgress(pod);
  return {
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    createdAtMs: Date.parse(metadata.creationTimestamp),
    stage: stageOf(pod),
    isTerminating: Boolean(metadata.deletionTimestamp),
    deletedAtMs: deletedAtMs(pod),
    ...(isEvictedFromNode(pod) && { isEvictedFromNode: true }),
    isScheduled: Boolean(spec?.nodeName),
    ...(spec?.nodeName && { nodeName: spec.nodeName }),
    ...(status?.startTime && { isAccepted: true }),
    isEtcdRunning: isEtcdRunning(pod),
    ...etcdStartedAt(pod),
    awaitsNewImage: awaitsNewImage(pod),
    ip: status?.podIP || undefined,
    // "Unknown" is what is left of a pod whose node went silent: not ready.
    isReady: ready?.status === "True",
    notReadySinceMs: notReadySinceMs(metadata, ready),
    ...(isMarkedNotReady(pod) && { isMarkedNotReady: true }),
    gate: gateOf(pod),
    version,
    ...(version !== noted && !isSameRelease(version, noted) && { isVersionMisnoted: true }),
    specHash,
    image: etcd?.image,
    ...(askedImage !== undefined && { askedImage }),
    ...(changed.image !== undefined && changed.image === askedImage && { isImageChangedByAdmission: true }),
    flags: (etcd?.command ?? []).slice(1),
    asksForLivez: asksForLivez(pod),
    metadata: metadataOf(pod, changed),
    incarnation,
    memberId,
    clusterId,
    usesClaim: usesClaim(pod),
    refusal: refusalIn(pod),
    trouble: podTrouble(pod),
    ...(progress !== undefined && { progress }),
    ...unschedulableSince(pod),
    ...(fenced && { fencedImage: fenced.image }),
    ...restoringOf(pod, lacksSecret),
    ...(logReached && { logReached }),
    answer,
  };
}

/** The note on the version is written together with the image, and edited without it. */
function versionIn(image: string): string | undefined {
  const version = parseEtcdVersion(/:([^:/@]+)$/.exec(image)?.[1] ?? "");
  return version && formatVersion(version);
}

export function usesClaim({ spec }: Pod): boolean {
  return Boolean(spec?.volumes?.find(({ name }) => name === "etcd-data")?.persistentVolumeClaim);
}

function unschedulableSince(pod: Pod): Pick<PodSeen, "unschedulableSinceMs" | "lacksRoom"> {
  const scheduled = conditionOf(pod, "PodScheduled");
  const sinceMs = Date.parse(scheduled?.lastTransitionTime ?? "");
  if (scheduled?.status !== "False" || Number.isNaN(sinceMs)) return {};
  return { unschedulableSinceMs: sinceMs, ...(LACKS_ROOM.test(scheduled.message ?? "") && { lacksRoom: true }) };
}

/** In the words of the scheduler; deleting a pod helps none of its other reasons, such as volumes and selectors. */
const LACKS_ROOM = /anti-affinity|free ports|insufficient|too many pods/i;

/** One failure is believed: the tool refuses a directory that it has begun to fill. */
function restoringOf(pod: Stored<Pod>, lacksSecret: boolean): Pick<PodSeen, "restoring"> {
  const { restoreUid: uid } = ownAnnotations(pod);
  if (uid === undefined) return {};
  const tool = pod.status?.initContainerStatuses?.find(({ name }) => name === RESTORE_CONTAINER);
  const ended = tool?.state?.terminated ?? tool?.lastState?.terminated;
  return { restoring: { uid, hasFailed: ended !== undefined && ended.exitCode !== 0, lacksSecret } };
}

/** The API server writes down by when it should be gone. */
function deletedAtMs({ metadata }: Stored<Pod>): number | undefined {
  const goneByMs = Date.parse(metadata.deletionTimestamp ?? "");
  return Number.isNaN(goneByMs) ? undefined : goneByMs - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
}

// What Kubernetes itself gives as the reason: the taints of the node, or that there is no such node any more.
const NODE_IS_LOST = ["DeletionByTaintManager", "DeletionByPodGC"];

function isEvictedFromNode(pod: Stored<Pod>): boolean {
  const { status, reason } = conditionOf(pod, "DisruptionTarget") ?? {};
  return status === "True" && reason !== undefined && NODE_IS_LOST.includes(reason);
}

/**
 * A kubelet reports why a pod is not ready, and the same of its containers. The node controller only turns the one
 * condition round.
 */
function isMarkedNotReady(pod: Stored<Pod>): boolean {
  const ready = conditionOf(pod, "Ready");
  return ready?.status === "False" && !ready.reason && conditionOf(pod, "ContainersReady")?.status === "True";
}

function etcdStartedAt(pod: Stored<Pod>): Pick<PodSeen, "etcdStartedAtMs"> {
  const { restartCount, state } = statusOf(pod) ?? {};
  const startedMs = Date.parse(state?.running?.startedAt ?? "");
  return restartCount === 0 && !Number.isNaN(startedMs) ? { etcdStartedAtMs: startedMs } : {};
}

function metadataOf({ metadata }: Stored<Pod>, changed: Asked): PodMetadata {
  const { labels = {}, annotations = {} } = metadata;
  const isChanged = Object.keys({ ...changed.labels, ...changed.annotations }).length > 0;
  const applied = appliedKeys(annotations[ANNOTATIONS.podMetadata]);
  return { labels, annotations, applied, ...(isChanged && { changedByAdmission: changed }) };
}

/** Where a pod is in its life. One in the phase "Unknown" may run all the same. */
export function stageOf({ status }: Pod): PodSeen["stage"] {
  switch (status?.phase) {
    case "Failed":
    case "Succeeded":
      return "ended";
    case "Running":
    case "Unknown":
      return "running";
    default:
      return "pending";
  }
}

/**
 * The condition does not show whether the pod ever was ready. For one that never was, this is when the kubelet first
 * handled it, and until then its creation: a time later than the truth makes us wait longer, never shorter.
 */
function notReadySinceMs(
  { creationTimestamp }: Stored["metadata"],
  ready: PodCondition | undefined,
): number | undefined {
  if (ready?.status === "True") return undefined;
  const sinceMs = Date.parse(ready?.lastTransitionTime ?? "");
  return Number.isNaN(sinceMs) ? Date.parse(creationTimestamp) : sinceMs;
}

function gateOf(pod: Pod): PodSeen["gate"] {
  const hasGate = pod.spec?.readinessGates?.some(({ conditionType }) => conditionType === VOTER_CONDITION);
  if (!hasGate) return "absent";
  return conditionOf(pod, VOTER_CONDITION)?.status === "True" ? "open" : "closed";
}

/**
 * Only the newest verdict counts: a guard that runs again has not spoken yet, and one that passed has nothing against
 * the data.
 */
function refusalIn({ status }: Pod): Refusal | undefined {
  const guard = status?.initContainerStatuses?.find(({ name }) => name === GUARD_CONTAINER);
  if (!guard || guard.state?.running) return undefined;
  const ended = guard.state?.terminated ?? guard.lastState?.terminated;
  return ended && refusalOf(ended);
}

function conditionOf({ status }: Pod, type: string): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
