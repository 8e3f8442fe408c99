import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";

// The user that the old operator's examples name.
const ETCD_USER = 9000;

/** What Kubernetes' restricted profile asks of a pod. */
export const restrictedPod: Readonly<PodSecurityContext> = {
  runAsNonRoot: true,
  runAsUser: ETCD_USER,
  runAsGroup: ETCD_USER,
  fsGroup: ETCD_USER,
  // Going through all files at every start takes long on a large volume, and opens etcd's directories to the group.
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
};

/** What the restricted profile asks of a container. */
export const restrictedContainer: Readonly<SecurityContext> = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  readOnlyRootFilesystem: true,
};
