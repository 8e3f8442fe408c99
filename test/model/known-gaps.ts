import { podHash } from "@etcd-operator/operator/cluster/objects/pod/pod-hash.ts";
import { isToldOf } from "./kubelet-model.ts";
import type { Etcd, Pod, World } from "./world.ts";

// What the planner is known not to manage; docs/development/properties.md has the stories. To close a gap, take its
// lines out of here, and from then on every walk watches over it. With STRICT=1 nothing is tolerated.
const isStrict = process.env.STRICT === "1";

/** After a status was lost, volumes of coreos/etcd-operator that no running member vouches for have no owner. */
export const NEEDS_RUNNING_MAJORITY = !isStrict;

/**
 * Pods that stand in the way of their own members while there is no majority: one that was to join has a list with
 * members that have been removed since; and one whose predecessor went before it ever ran returns to a volume that
 * nothing was written to.
 */
export function isStuck(pod: Pod, { members }: Etcd): boolean {
  if (isStrict || pod.isUp) return false;
  const isMisled = pod.start.kind === "joining" && !isToldOf(pod.name, pod.start.peers, members);
  return isMisled || (pod.start.kind === "returning" && pod.refusal === "data-gone");
}

/**
 * A member that does not come up with what it was given is waited for, as long as Kubernetes names a trouble; also when
 * its node has died or fallen silent since. It takes Kubernetes to delete its pod, which it does five minutes later
 * unless a toleration forbids it.
 */
export function isLeftToEviction(pod: Pod): boolean {
  return !isStrict && pod.node !== "up" && !pod.isTerminating && pod.trouble !== undefined;
}

/**
 * For the same reason one is waited for that lost its data under what it had just been given, until that is withdrawn.
 */
export function isBlamedOnSpec(pod: Pod, { cluster }: World, hasData: boolean): boolean {
  if (isStrict || pod.isUp || hasData) return false;
  const noted = cluster.status?.memberStatus?.find((member) => member.name === pod.name);
  return noted?.version !== pod.etcdVersion || noted.servedPodHash !== podHash(pod);
}

/**
 * Nothing keeps an operator that slept between its second look and the write from making an initial member that is not
 * requested any more.
 */
export const FOUNDERS_ARE_NEVER_LATE = !isStrict;
