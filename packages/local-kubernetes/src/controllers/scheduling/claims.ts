import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import { claimsOf } from "../pod-facts.ts";

export const SELECTED_NODE = "volume.kubernetes.io/selected-node";

export type ClaimsState =
  | { readonly kind: "bound" }
  /** These wait for a node to be chosen before they get a volume. */
  | { readonly kind: "wait-for-node"; readonly claims: readonly Stored<PersistentVolumeClaim>[] }
  | { readonly kind: "obstacle"; readonly message: string };

/** Whether the claims of a pod let it be scheduled. */
export function claimsState(
  pod: Stored<Pod>,
  find: (name: string) => Stored<PersistentVolumeClaim> | undefined,
  classNamed: (name: string) => StorageClass | undefined,
): ClaimsState {
  const waiting: Stored<PersistentVolumeClaim>[] = [];
  for (const name of claimsOf(pod)) {
    const claim = find(name);
    if (!claim) return obstacle(`persistentvolumeclaim "${name}" not found`);
    if (claim.metadata.deletionTimestamp) return obstacle(`persistentvolumeclaim "${name}" is being deleted`);
    if (claim.status?.phase === "Lost") return obstacle(`persistentvolumeclaim "${name}" bound to non-existent volume`);
    if (claim.status?.phase === "Bound") continue;
    const mode = classNamed(claim.spec?.storageClassName ?? "")?.volumeBindingMode;
    if (mode !== "WaitForFirstConsumer") return obstacle("pod has unbound immediate PersistentVolumeClaims");
    waiting.push(claim);
  }
  return waiting.length === 0 ? { kind: "bound" } : { kind: "wait-for-node", claims: waiting };
}

function obstacle(message: string): ClaimsState {
  return { kind: "obstacle", message };
}
