import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import { selects } from "../../label-selector.ts";
import { quantityValue } from "../../quantity.ts";
import { SELECTED_NODE } from "../scheduling/claims.ts";
import { BIND_COMPLETED, CLAIM_PROTECTION, IS_DEFAULT_CLASS, PROVISIONER } from "./storage-names.ts";

type Claim = Stored<PersistentVolumeClaim>;
type Volume = Stored<PersistentVolume>;

/** What is known when a claim is looked at. */
export interface ClaimScene {
  readonly claim: Claim;
  readonly volumes: readonly Volume[];
  readonly classes: readonly Stored<StorageClass>[];
  /** Whether a pod that has not ended names the claim. */
  readonly isInUse: boolean;
}

export type ClaimAction =
  | { readonly kind: "none" }
  | { readonly kind: "protect" | "unprotect" | "lose" }
  | { readonly kind: "set-class"; readonly name: string }
  | { readonly kind: "bind"; readonly volume: Volume }
  | { readonly kind: "provision"; readonly storageClass: Stored<StorageClass> }
  | { readonly kind: "expand"; readonly volume: Volume; readonly storage: string }
  | { readonly kind: "wait"; readonly reason: string; readonly message: string };

const NONE: ClaimAction = { kind: "none" };

/** The next step for a claim. */
export function decideClaim(scene: ClaimScene): ClaimAction {
  const { claim, isInUse } = scene;
  const isProtected = claim.metadata.finalizers?.includes(CLAIM_PROTECTION) ?? false;
  if (claim.metadata.deletionTimestamp) return isProtected && !isInUse ? { kind: "unprotect" } : NONE;
  if (!isProtected) return { kind: "protect" };
  return claim.spec?.volumeName ? withVolumeName(scene, claim.spec.volumeName) : withoutVolumeName(scene);
}

function withVolumeName({ claim, volumes, classes }: ClaimScene, volumeName: string): ClaimAction {
  const volume = volumes.find(({ metadata }) => metadata.name === volumeName);
  const wasBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
  const isOurs = volume && (!volume.spec?.claimRef || isFor(volume, claim));
  if (!isOurs) return wasBound && claim.status?.phase !== "Lost" ? { kind: "lose" } : NONE;
  if (claim.status?.phase !== "Bound" || !wasBound) return { kind: "bind", volume };
  return expansion(claim, volume, classes);
}

function expansion(claim: Claim, volume: Volume, classes: ClaimScene["classes"]): ClaimAction {
  const storage = claim.spec?.resources?.requests?.storage ?? "0";
  const storageClass = classes.find(({ metadata }) => metadata.name === claim.spec?.storageClassName);
  const mayGrow = storageClass?.provisioner === PROVISIONER && storageClass.allowVolumeExpansion;
  const isLarger = quantityValue(storage) > quantityValue(claim.status?.capacity?.storage);
  return mayGrow && isLarger ? { kind: "expand", volume, storage } : NONE;
}

function withoutVolumeName(scene: ClaimScene): ClaimAction {
  const { claim, volumes, classes } = scene;
  const reserved = volumes.find((volume) => isFor(volume, claim));
  if (reserved) return { kind: "bind", volume: reserved };
  const className = claim.spec?.storageClassName;
  if (className === undefined) {
    const fallback = classes.find(({ metadata }) => metadata.annotations?.[IS_DEFAULT_CLASS] === "true");
    return fallback ? { kind: "set-class", name: fallback.metadata.name } : NONE;
  }
  const storageClass = classes.find(({ metadata }) => metadata.name === className);
  const waitsForNode = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  if (waitsForNode && !claim.metadata.annotations?.[SELECTED_NODE]) {
    const message = "waiting for first consumer to be created before binding";
    return { kind: "wait", reason: "WaitForFirstConsumer", message };
  }
  const [smallest] = volumes.filter((volume) => suits(volume, claim)).sort((one, other) => sizeOf(one) - sizeOf(other));
  if (smallest) return { kind: "bind", volume: smallest };
  return storageClass?.provisioner === PROVISIONER ? { kind: "provision", storageClass } : NONE;
}

/** Whether a volume is reserved for a claim, by name only or also for this very one. */
function isFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { namespace, name, uid } = spec?.claimRef ?? {};
  return namespace === metadata.namespace && name === metadata.name && (uid === undefined || uid === metadata.uid);
}

function suits({ metadata, spec }: Volume, { spec: wanted }: Claim): boolean {
  return (
    !metadata.deletionTimestamp &&
    spec?.claimRef === undefined &&
    (spec?.storageClassName ?? "") === wanted?.storageClassName &&
    (spec?.volumeMode ?? "Filesystem") === (wanted?.volumeMode ?? "Filesystem") &&
    (wanted?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode)) &&
    quantityValue(spec?.capacity?.storage) >= quantityValue(wanted?.resources?.requests?.storage) &&
    (wanted?.selector === undefined || selects(wanted.selector, metadata.labels))
  );
}

function sizeOf({ spec }: Volume): number {
  return quantityValue(spec?.capacity?.storage);
}
