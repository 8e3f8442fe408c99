import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

/** Whether a pod has run to its end and never runs again. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether a pod counts for those who want a number of them: it has not ended and is not on its way out. */
export function isActive(pod: Stored<Pod>): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

export function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");
}

/** The names of the claims that a pod mounts. */
export function claimsOf({ spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
