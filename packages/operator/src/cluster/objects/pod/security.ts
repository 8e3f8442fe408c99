import { containerSecurityFor, podSecurityFor } from "@etcd-operator/kubernetes-client";
import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";

export function podSecurity(spec: EtcdClusterSpec): PodSecurityContext {
  return podSecurityFor(spec.pod?.securityContext);
}

export function containerSecurity(spec: EtcdClusterSpec): SecurityContext {
  return containerSecurityFor(spec.pod?.securityContext);
}
