import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";

// The user that the examples of coreos/etcd-operator name.
const ETCD_USER = 9000;

/** What Kubernetes' restricted profile asks of a pod. */
export const restrictedPod = {
  runAsNonRoot: true,
  runAsUser: ETCD_USER,
  runAsGroup: ETCD_USER,
  fsGroup: ETCD_USER,
  // Going through all files at every start takes long on a large volume, and opens etcd's directories to the group.
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
} satisfies PodSecurityContext;

/**
 * The same, with what the user says instead, field by field. `{}` leaves user and groups to the platform: OpenShift has
 * a range of them for each namespace, and refuses others.
 */
export function podSecurityFor(wanted: PodSecurityContext | undefined): PodSecurityContext {
  const { runAsNonRoot, runAsUser, runAsGroup, fsGroup, ...rest } = restrictedPod;
  if (isLeftToPlatform(wanted)) return { runAsNonRoot, ...rest };
  const root = wanted?.runAsUser === 0;
  return { ...(root ? {} : { runAsNonRoot }), runAsUser, runAsGroup, fsGroup, ...rest, ...wanted };
}

export function isLeftToPlatform(wanted: PodSecurityContext | undefined): boolean {
  return wanted !== undefined && Object.keys(wanted).length === 0;
}

/** What the restricted profile asks of a container in such a pod. */
export function containerSecurityFor(wanted: PodSecurityContext | undefined): SecurityContext {
  // Root without capabilities could not read what another user wrote before.
  return wanted?.runAsUser === 0 ? { allowPrivilegeEscalation: false } : restrictedContainer;
}

/** What the restricted profile asks of a container. */
export const restrictedContainer: Readonly<SecurityContext> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
};
