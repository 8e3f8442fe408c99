import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";

// The user that the old operator's examples name.
const ETCD_USER = 9000;

/** What Kubernetes' restricted profile asks of a pod; whatever the user says instead wins, field by field. */
export function podSecurity(spec: EtcdClusterSpec): PodSecurityContext {
  const wanted = spec.pod?.securityContext ?? {};
  return {
    ...(wanted.runAsUser === 0 ? {} : { runAsNonRoot: true }),
    runAsUser: ETCD_USER,
    runAsGroup: ETCD_USER,
    fsGroup: ETCD_USER,
    // Going through all files at every start takes long on a large volume, and opens etcd's directories to the group.
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
    ...wanted,
  };
}

/** What the restricted profile asks of a container. */
export function containerSecurity(spec: EtcdClusterSpec): SecurityContext {
  // Root without capabilities could not read what another user wrote before.
  if (podSecurity(spec).runAsUser === 0) return { allowPrivilegeEscalation: false };
  return { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, readOnlyRootFilesystem: true };
}
