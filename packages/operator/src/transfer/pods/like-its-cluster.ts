import { containerSecurityFor, defined, podSecurityFor } from "@etcd-operator/kubernetes-client";
import type { PodSpec, ResourceRequirements, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";

type PodPolicy = EtcdClusterSpec["pod"];
type Shared = Pick<
  PodSpec,
  "securityContext" | "nodeSelector" | "tolerations" | "priorityClassName" | "serviceAccountName"
>;

/**
 * What a pod that works for a cluster has from spec.pod of that cluster: where its members may run and as whom, ours
 * may. Affinity and spread are about members among themselves.
 */
export function likeItsCluster(pod: PodPolicy): Shared {
  return defined<Shared>({
    securityContext: podSecurityFor(pod?.securityContext),
    nodeSelector: pod?.nodeSelector,
    tolerations: pod?.tolerations,
    priorityClassName: pod?.priorityClassName || undefined,
    serviceAccountName: pod?.serviceAccountName || undefined,
  });
}

export function containerLikeItsCluster(pod: PodPolicy): SecurityContext {
  return containerSecurityFor(pod?.securityContext);
}

/**
 * A quota that wants a limit for the processor wants it of our containers, too. What etcd needs of memory says nothing
 * of theirs.
 */
export function withCpuLimitOf(pod: PodPolicy, own: ResourceRequirements): ResourceRequirements {
  const cpu = pod?.resources?.limits?.cpu;
  return cpu === undefined ? own : { ...own, limits: { ...own.limits, cpu } };
}
