import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";
import type { ClaimSeen, SetAside, SetAsidePod } from "../observation.ts";
import { isSetAside } from "../restoring.ts";
import { claimSeen } from "./claim-seen.ts";
import { imageOf, statusOf } from "./etcd-container.ts";
import { ownAnnotations } from "./own-annotations.ts";
import { podSeen, stageOf } from "./pod-seen.ts";

interface Parted {
  /** What belongs to the cluster as it is, or is to be. */
  readonly current: { readonly pods: readonly Stored<Pod>[]; readonly claims: readonly ClaimSeen[] };
  readonly setAside: SetAside;
}

/** Tells what a restore takes the place of from everything else; without a restore under way that is nothing. */
export function withSetAside(
  { metadata, status }: Stored<EtcdCluster>,
  pods: readonly Stored<Pod>[],
  claims: readonly Stored<PersistentVolumeClaim>[],
): Parted {
  const made = claims.flatMap((claim) => claimSeen(claim, metadata.uid) ?? []);
  const isFormerPod = (pod: Stored<Pod>) => isSetAside(ownAnnotations(pod), status);
  const isFormerClaim = (claim: ClaimSeen) => isSetAside(claim, status);
  return {
    current: {
      pods: pods.filter((pod) => !isFormerPod(pod)),
      claims: made.filter((claim) => !isFormerClaim(claim)),
    },
    setAside: { pods: pods.filter(isFormerPod).map(setAsidePod), claims: made.filter(isFormerClaim) },
  };
}

const NOT_ASKED = { health: "unknown", why: "it is set aside for a restore" } as const;

function setAsidePod(pod: Stored<Pod>): SetAsidePod {
  return { ...podSeen(pod, NOT_ASKED), mayRun: mayRunEtcd(pod) };
}

/** What to write on a pod that is stopped: what it has to get back, and which container has to go. */
export function fenceNote(pod: Pod): string {
  return `${imageOf(pod)} ${statusOf(pod)?.containerID ?? ""}`.trim();
}

/**
 * Whether a process of etcd runs in a pod or may be started in it. Not in one that never runs again; nor in one that was stopped, once the
 * kubelet has shown that it knows: it has replaced the container, waits for the image without etcd, or has yet to get past the init
 * containers. From a node that fell silent nothing is heard, and what runs there may run on.
 */
export function mayRunEtcd(pod: Stored<Pod>): boolean {
  if (stageOf(pod) === "ended") return false;
  const { fenced } = ownAnnotations(pod);
  const { state, containerID } = statusOf(pod) ?? {};
  if (!fenced || state?.running) return true;
  const isReplaced = Boolean(containerID) && containerID !== fenced.containerId;
  const waitsForImage = state?.waiting?.message?.includes(imageOf(pod)) ?? false;
  return !isReplaced && !waitsForImage && isInitialized(pod);
}

function isInitialized({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Initialized" && is === "True") ?? false;
}
