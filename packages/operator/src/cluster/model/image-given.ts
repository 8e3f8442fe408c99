import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { etcdImage } from "../objects/pod/pod.ts";
import type { PodSeen } from "./observation.ts";

/**
 * The image that a pod counts as having: what was asked for, where admission made another one of it; else what it has,
 * so that an image that was changed behind our back is put back.
 */
export function imageGiven(pod: PodSeen, cluster: EtcdCluster): string | undefined {
  if (pod.fencedImage !== undefined) return pod.image;
  if (pod.askedImage === undefined) return imageBelieved(pod, cluster);
  return pod.isImageChangedByAdmission ? pod.askedImage : pod.image;
}

/**
 * The image that a pod of a member that has yet to serve was asked to have. What admission made of it may not have been
 * recorded yet, and starting over would not make it otherwise.
 */
export function imageAsked(pod: PodSeen, cluster: EtcdCluster): string | undefined {
  return pod.askedImage ?? imageBelieved(pod, cluster);
}

/**
 * A pod of an earlier release does not say what was asked for. An image that no spec can ask for is taken for what
 * admission made of the version that the pod says; and coreos/etcd-operator never changed a pod for another repository.
 */
function imageBelieved({ image, version, specHash }: PodSeen, cluster: EtcdCluster): string | undefined {
  if (image === undefined || version === undefined) return image;
  const asked = etcdImage(cluster, version);
  const isOfAdmission = specHash === undefined || image.includes("@") || image.endsWith(`/${asked}`);
  return isOfAdmission ? asked : image;
}
