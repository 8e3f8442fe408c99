import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { PROVISIONED_BY, PROVISIONER, VOLUME_PROTECTION } from "./storage-names.ts";

export type VolumeAction =
  | { readonly kind: "none" | "protect" | "unprotect" }
  | { readonly kind: "set-phase"; readonly phase: "Available" | "Bound" | "Released" }
  /** Its claim is gone: the data goes, and the volume with it. */
  | { readonly kind: "reclaim" };

/** The next step for a volume, given the claim that it names as far as there is one. */
export function decideVolume(
  volume: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim> | undefined,
): VolumeAction {
  const phase = phaseOf(volume, claim);
  const isProtected = volume.metadata.finalizers?.includes(VOLUME_PROTECTION) ?? false;
  if (volume.metadata.deletionTimestamp) {
    return isProtected && phase !== "Bound" ? { kind: "unprotect" } : { kind: "none" };
  }
  if (!isProtected) return { kind: "protect" };
  if (volume.status?.phase !== phase) return { kind: "set-phase", phase };
  const isOurs = volume.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER;
  const isWasted = phase === "Released" && volume.spec?.persistentVolumeReclaimPolicy === "Delete" && isOurs;
  return { kind: isWasted ? "reclaim" : "none" };
}

function phaseOf(
  { metadata, spec }: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim> | undefined,
): "Available" | "Bound" | "Released" {
  const uid = spec?.claimRef?.uid;
  if (uid === undefined) return "Available";
  if (claim?.metadata.uid !== uid) return "Released";
  return claim.spec?.volumeName === metadata.name ? "Bound" : "Available";
}
