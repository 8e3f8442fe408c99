import type { Container, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ETCD_CONTAINER } from "../objects/pod/pod.ts";

/** Whether a process of etcd runs in a pod, as the kubelet says. */
export function isEtcdRunning(pod: Pod): boolean {
  return statusOf(pod)?.state?.running !== undefined;
}

/**
 * Whether a pod was given another image than its container has, and there is no other container yet: the kubelet takes
 * a moment, in which etcd answers as before, and ends it then. The image that the kubelet names is the runtime's
 * spelling of it, and proves nothing.
 */
export function awaitsNewImage(pod: Pod): boolean {
  const replaced = replacedContainer(pod);
  return replaced !== undefined && replaced.image !== imageOf(pod);
}

/**
 * What to write on a pod that gets another image: which container there is, and from which image; null where there is
 * none.
 */
export function containerToReplace(pod: Pod): string | null {
  const id = statusOf(pod)?.containerID;
  // One that has been given an image before, and not got it yet, still has the previous one.
  const image = replacedContainer(pod)?.image ?? imageOf(pod);
  return id ? `${id} ${image}` : null;
}

/** The container that there was when the pod last got another image. */
export function replacedContainerId(pod: Pod): string | undefined {
  return noteOn(pod)[0];
}

/** The container that was to be replaced, as long as it is the one that there is. */
function replacedContainer(pod: Pod): { readonly image: string } | undefined {
  const [id, image] = noteOn(pod);
  return id && image !== undefined && id === statusOf(pod)?.containerID ? { image } : undefined;
}

function noteOn({ metadata }: Pod): readonly string[] {
  return metadata?.annotations?.[ANNOTATIONS.replacedContainer]?.split(" ") ?? [];
}

/** Whether the kubelet asks etcd itself how it is: then readiness means that it reaches a majority. */
export function asksForLivez(pod: Pod): boolean {
  return etcdIn(pod)?.livenessProbe?.httpGet?.path === "/livez";
}

export function imageOf(pod: Pod): string {
  return etcdIn(pod)?.image ?? "";
}

function etcdIn({ spec }: Pod): Container | undefined {
  return spec?.containers.find(({ name }) => name === ETCD_CONTAINER);
}

export function statusOf({ status }: Pod): ContainerStatus | undefined {
  return status?.containerStatuses?.find(({ name }) => name === ETCD_CONTAINER);
}
