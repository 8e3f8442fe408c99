import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ContainerStatus, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { ClaimSeen, SetAside, SetAsidePod } from "../model/observation.ts";
import { GUARD_CONTAINER } from "../objects/pod/guard-container.ts";
import { isSetAside } from "../restore/restoring.rule.ts";
import { claimSeen } from "./claim-seen.ts";
import { imageOf, statusOf } from "./etcd-container.ts";
import { type FenceNote, ownAnnotations } from "./own-annotations.ts";
import { isLabelled } from "./ownership.ts";
import { podSeen, stageOf } from "./pod-seen.ts";

interface Parted {
  /** What belongs to the cluster as it is, or is to be. */
  readonly current: { readonly pods: readonly Stored<Pod>[]; readonly claims: readonly ClaimSeen[] };
  readonly setAside: SetAside;
}

/** Separates the objects that a restore replaces from all others; without a restore in progress there are none. */
export function withSetAside(
  { metadata, status }: Stored<EtcdCluster>,
  pods: readonly Stored<Pod>[],
  claims: readonly Stored<PersistentVolumeClaim>[],
): Parted {
  const made = claims.flatMap((claim) => {
    const seen = claimSeen(claim, metadata.uid);
    return seen ? { ...seen, ...(!isLabelled(claim, metadata.name) && { lacksLabels: true as const }) } : [];
  });
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

const NOT_ASKED = { health: "unknown", why: "it is stopped for a restore" } as const;

function setAsidePod(pod: Stored<Pod>): SetAsidePod {
  const hasEtcdAgain = ownAnnotations(pod).fenced !== undefined && !hasImageWithoutEtcd(pod);
  return { ...podSeen(pod, NOT_ASKED), mayRun: mayRunEtcd(pod), ...(hasEtcdAgain && { hasEtcdAgain }) };
}

/**
 * What to write on a pod that is stopped: what it has to get back, which container has to end, of which image, and what
 * it is given.
 */
export function fenceNote(pod: Stored<Pod>, imageWithoutEtcd: string): string {
  const container = statusOf(pod);
  // Of one without a container nothing else is known.
  const words = container?.containerID ? [container.containerID, container.imageID, container.image] : ["", "", ""];
  const image = ownAnnotations(pod).fenced?.image ?? imageOf(pod);
  return [image, ...words, imageWithoutEtcd].join(" ");
}

/**
 * Whether a process of etcd runs in a pod or may be started in it. Not in one that never runs again; nor in one that
 * was stopped, once the kubelet has shown that it knows: it has replaced the container, waits for the image without
 * etcd, or has yet to get past the init containers. A node that stopped reporting shows nothing, and what runs there
 * may run on. And in a pod without that image, as admission or another client may have caused, the kubelet
 * may start it at any moment.
 */
export function mayRunEtcd(pod: Stored<Pod>): boolean {
  if (stageOf(pod) === "ended") return false;
  const { fenced } = ownAnnotations(pod);
  const container = statusOf(pod);
  const { state } = container ?? {};
  if (!fenced || state?.running || !hasImageWithoutEtcd(pod)) return true;
  const isReplaced = container !== undefined && isOfNewImage(container, fenced, pod);
  const waitsForImage = state?.waiting?.message?.includes(imageOf(pod)) ?? false;
  return !isReplaced && !waitsForImage && isInitialized(pod);
}

/**
 * Whether the image that a stopped pod has now is one without etcd: as it was asked for; or as admission made it of
 * that, which shows by its digest, by its name, or by the guard of this pod having the same.
 */
export function hasImageWithoutEtcd(pod: Stored<Pod>): boolean {
  const { image: before = "", askedImage = "" } = ownAnnotations(pod).fenced ?? {};
  const now = imageOf(pod);
  if (now === before) return false;
  if (askedImage === "" || now === askedImage) return true;
  const isGuards = pod.spec?.initContainers?.find(({ name }) => name === GUARD_CONTAINER)?.image === now;
  const [name, digest] = [nameIn(askedImage), digestIn(askedImage)];
  return (
    isGuards || (digest !== undefined && digest === digestIn(now)) || (name === nameIn(now) && name !== nameIn(before))
  );
}

/** Without the registry and its folders, tag and digest: mirrors keep it. */
function nameIn(image: string): string {
  return /([^/:@]*)(?::[^/@]*)?(?:@.*)?$/.exec(image)?.[1] ?? "";
}

function digestIn(image: string): string | undefined {
  return image.split("@")[1];
}

/**
 * Whether a container was made after its kubelet had learned of the image without etcd. Another container alone proves
 * nothing: one that lags behind starts etcd again when it ends, and again. What the runtime calls an image differs from
 * what the spec does, so what the container before was made from counts, too: its name, because a tag may have moved,
 * and its id, because an image may have several names.
 */
function isOfNewImage({ containerID, image, imageID }: ContainerStatus, fenced: FenceNote, pod: Pod): boolean {
  if (!containerID || containerID === fenced.containerId) return false;
  if (fullName(image) === fullName(imageOf(pod))) return true;
  if (!fenced.containerId) return isOurImage(imageID, pod);
  const isOther = (now: string, before: string) => now !== "" && before !== "" && now !== before;
  return isOther(imageID, fenced.imageId) && isOther(image, fenced.runtimeImage);
}

/**
 * Where there was no container before: whether the id is that of the image without etcd, by its digest, or because the
 * guard was made from the same.
 */
function isOurImage(imageID: string, pod: Pod): boolean {
  const wanted = imageOf(pod);
  const digest = digestIn(wanted);
  if (digest && imageID.includes(digest)) return true;
  const isGuard = ({ name }: { readonly name: string }) => name === GUARD_CONTAINER;
  const guard = pod.status?.initContainerStatuses?.find(isGuard);
  return imageID !== "" && imageID === guard?.imageID && pod.spec?.initContainers?.find(isGuard)?.image === wanted;
}

/** As a runtime spells out what a spec may leave away. */
function fullName(image: string): string {
  const [first = "", ...rest] = image.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasHost ? image : `docker.io/${rest.length === 0 ? "library/" : ""}${image}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}

function isInitialized({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Initialized" && is === "True") ?? false;
}
