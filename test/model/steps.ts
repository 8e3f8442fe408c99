import type { EtcdClusterSpec } from "@etcd-operator/operator/api/etcd-cluster.ts";
import {
  RESTORE_ANNOTATION,
  type RestoreRequest,
  restoreAnnotation,
  restoreRequestOf,
} from "@etcd-operator/operator/api/restore-request.ts";
import { append, healthyPods, leaderOf, liveMembers, majoritySide, runningLog, votersIn } from "./etcd-model.ts";
import { deleteClaim, isReady, stopProcess } from "./kubelet-model.ts";
import { type PodStep, takeOnPod } from "./pod-steps.ts";
import { annotateCluster, changeCluster, emptyDisk, isStale, recordedEtcd, type World } from "./world.ts";

/**
 * One thing that happens without the operator. A step whose subject is gone does nothing, so any part of a story can be
 * replayed.
 */
export type Step =
  | { readonly do: PodStep; readonly pod: string }
  | ClaimStep
  | Edit
  /** A client writes, and those named take the entry beside the leader. */
  | { readonly do: "write"; readonly by: readonly string[] }
  | { readonly do: "wait"; readonly seconds: number }
  | { readonly do: "heal" }
  | { readonly do: "delete-services" }
  | { readonly do: "delete-budget" }
  | { readonly do: "lose-status" }
  | RestoreStep
  | { readonly do: "delete-cluster" };

type ClaimStep =
  | { readonly do: "delete-claim"; readonly claim: string }
  | { readonly do: "wipe-claim"; readonly claim: string }
  | { readonly do: "swap-claims"; readonly claim: string; readonly other: string };

/** What the controller of EtcdRestores does, for a user or because the operator asked for it. */
type RestoreStep =
  /** Without a snapshot of the existing data, when no member answered. */
  | { readonly do: "request-restore"; readonly uid: string; readonly isSaved?: boolean }
  | { readonly do: "cancel-restore" }
  | { readonly do: "withdraw-request" };

/** Changes of the spec. */
type Edit =
  | { readonly do: "resize"; readonly size: number }
  | { readonly do: "pause"; readonly isPaused: boolean }
  | { readonly do: "edit-image"; readonly repository: string }
  | { readonly do: "edit-version"; readonly version: string }
  | { readonly do: "edit-labels"; readonly team: string }
  /** Volumes grow, or have to be of another class. */
  | { readonly do: "edit-claims"; readonly storage: string; readonly storageClassName: string }
  /** A change that running pods cannot take in. */
  | { readonly do: "edit-pods"; readonly graceSeconds: number }
  | { readonly do: "edit-zone"; readonly zone: string };

export function take(world: World, step: Step): void {
  switch (step.do) {
    case "write":
      write(world, step.by);
      break;
    case "wait":
      world.nowMs += step.seconds * 1000;
      break;
    case "heal":
      for (const pod of world.pods.values()) Object.assign(pod, { side: 0, isReachable: pod.node === "up" });
      break;
    case "delete-claim":
    case "wipe-claim":
    case "swap-claims":
      takeOnClaim(world, step);
      break;
    case "resize":
    case "pause":
    case "edit-image":
    case "edit-version":
    case "edit-labels":
    case "edit-claims":
    case "edit-pods":
    case "edit-zone":
      changeCluster(world, { spec: { ...world.cluster.spec, ...fieldsOf(step, world) } });
      break;
    case "request-restore":
    case "cancel-restore":
    case "withdraw-request":
      takeOnRequest(world, step);
      break;
    case "lose-status":
      changeCluster(world, { status: undefined });
      // Which claims are kept is written nowhere else.
      world.unsaved.clear();
      break;
    case "delete-cluster":
      deleteCluster(world);
      break;
    case "delete-services":
      Object.assign(world, { hasClientService: false, hasPeerService: false });
      break;
    case "delete-budget":
      world.minAvailable = undefined;
      break;
    default: {
      const pod = world.pods.get(step.pod);
      if (pod) takeOnPod(world, pod, step.do);
    }
  }
}

function takeOnRequest(world: World, step: RestoreStep): void {
  switch (step.do) {
    case "request-restore":
      world.requested.add(step.uid);
      request(world, {
        ...{ uid: step.uid, isCanceled: false, isDone: false, isSaved: step.isSaved ?? true },
        saved: savedNow(world),
      });
      break;
    case "cancel-restore":
      if (restoreRequestOf(world.cluster.metadata)) request(world, { isCanceled: true });
      break;
    case "withdraw-request":
      annotateCluster(world, { [RESTORE_ANNOTATION]: undefined });
  }
}

/** What a snapshot of the most advanced member would have in it now. */
function savedNow(world: World): RestoreRequest["saved"] {
  const etcd = recordedEtcd(world);
  if (!etcd) return undefined;
  const revision = Math.max(0, ...liveMembers(world, etcd).map(({ log }) => log.index));
  return { revision, clusterID: etcd.clusterId };
}

export function request(world: World, change: Partial<RestoreRequest>): void {
  const before = restoreRequestOf(world.cluster.metadata);
  const saved = savedNow(world);
  const snapshot = { revision: 1, sizeBytes: 1, sha256: "0", revisionBump: 0, isSaved: true, ...(saved && { saved }) };
  annotateCluster(world, restoreAnnotation({ name: "restore", uid: "r", ...snapshot, ...before, ...change }));
}

/** Readiness follows from everything else; the kubelet writes down when it was lost. */
export function refreshReadiness(world: World): void {
  const recorded = world.cluster.status?.clusterID;
  const healthy = healthyPods(world);
  for (const pod of world.pods.values()) {
    const log = runningLog(world, pod);
    if (log && log.clusterId === recorded) world.haveServed.add(log.memberId);
    if (pod.node === "up") pod.isSaidToRun = pod.isUp;
    if (healthy.has(pod) && log && !isStale(pod) && !pod.isTerminating) world.takenDown.delete(log.memberId);
    const isNow = isReady(world, pod, healthy);
    if (isNow === pod.wasReady) continue;
    pod.wasReady = isNow;
    pod.version += 1;
    pod.notReadySinceMs = isNow ? undefined : world.nowMs;
  }
}

/**
 * A client gets to etcd through the Service, so through a pod that is ready. It gets success when a majority has
 * the entry.
 */
function write(world: World, by: readonly string[]): void {
  const etcd = recordedEtcd(world);
  const leader = etcd && leaderOf(world, etcd);
  if (!leader || ![...world.pods.values()].some(({ wasReady }) => wasReady)) return;
  const taking = majoritySide(world, etcd).filter(({ pod }) => pod === leader.pod || by.includes(pod.name));
  const votes = new Set(taking.flatMap(({ member }) => (member.isLearner ? [] : [member.id]))).size;
  if (votes > votersIn(etcd).length / 2) append(etcd, taking, true);
}

/**
 * What is done to a volume. It can be emptied under a process, which does not survive that; mounted elsewhere it cannot
 * be.
 */
function takeOnClaim(world: World, step: ClaimStep): void {
  const claim = world.claims.get(step.claim);
  const other = step.do === "swap-claims" ? world.claims.get(step.other) : { name: "", disk: emptyDisk() };
  if (!claim || !other) return;
  if (step.do === "delete-claim") {
    deleteClaim(world, claim.name);
    return;
  }
  const isMounted = [claim, other].some(({ name }) => world.pods.get(name)?.isPastGuard);
  if (step.do === "swap-claims" && isMounted) return;
  [claim.disk, other.disk] = [other.disk, claim.disk];
  for (const { name } of [claim, other]) {
    const pod = world.pods.get(name);
    if (pod?.isUp && pod.emptyDir === undefined) stopProcess(pod);
  }
}

function fieldsOf(step: Edit, { cluster }: World): Partial<EtcdClusterSpec> {
  switch (step.do) {
    case "resize":
      return { size: step.size };
    case "pause":
      return { paused: step.isPaused };
    case "edit-image":
      return { repository: step.repository };
    case "edit-version":
      return { version: step.version };
    case "edit-labels":
      return { pod: { ...cluster.spec.pod, labels: { team: step.team } } };
    case "edit-claims": {
      const claim = cluster.spec.pod?.persistentVolumeClaimSpec;
      const { storage, storageClassName } = step;
      if (!claim) return {};
      const wanted = { ...claim, storageClassName, resources: { requests: { storage } } };
      return { pod: { ...cluster.spec.pod, persistentVolumeClaimSpec: wanted } };
    }
    case "edit-pods":
      return { pod: { ...cluster.spec.pod, terminationGracePeriodSeconds: step.graceSeconds } };
    case "edit-zone":
      return { pod: { ...cluster.spec.pod, nodeSelector: step.zone === "" ? {} : { zone: step.zone } } };
  }
}

/** The API server keeps it until the garbage collector has taken what it owns. */
function deleteCluster(world: World): void {
  changeCluster(world, {});
  const deletionTimestamp = new Date(world.nowMs).toISOString();
  world.cluster = { ...world.cluster, metadata: { ...world.cluster.metadata, deletionTimestamp } };
}
