import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";
import { restrictedContainer, restrictedPod } from "../../kubernetes/restricted-security.ts";

/** What Kubernetes' restricted profile asks of a pod; whatever the user says instead wins, field by field. */
export function podSecurity(spec: EtcdClusterSpec): PodSecurityContext {
  const wanted = spec.pod?.securityContext ?? {};
  const { runAsNonRoot, ...rest } = restrictedPod;
  return { ...(wanted.runAsUser === 0 ? {} : { runAsNonRoot }), ...rest, ...wanted };
}

/** What the restricted profile asks of a container. */
export function containerSecurity(spec: EtcdClusterSpec): SecurityContext {
  // Root without capabilities could not read what another user wrote before.
  if (podSecurity(spec).runAsUser === 0) return { allowPrivilegeEscalation: false };
  return restrictedContainer;
}
