import type { LabelSelector, OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import type { KubeObject, Stored } from "../../../kubernetes/kube-object.ts";
import { selects } from "../../label-selector.ts";

/** The reference to the one owner that manages an object. */
export function controllerOf({ metadata }: Stored): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

export function controllerReference({ apiVersion, kind, metadata }: Stored): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export interface Ownership<T extends KubeObject> {
  readonly owned: readonly Stored<T>[];
  /** Fit the selector and have no controller. */
  readonly toAdopt: readonly Stored<T>[];
  /** Are owned and do not fit the selector any more. */
  readonly toRelease: readonly Stored<T>[];
}

/** What belongs to an owner by its reference and selector; one that is being deleted takes nothing in and lets nothing go. */
export function ownershipOf<T extends KubeObject>(
  owner: Stored,
  selector: LabelSelector | undefined,
  candidates: readonly Stored<T>[],
): Ownership<T> {
  const isOwned = (object: Stored<T>) => controllerOf(object)?.uid === owner.metadata.uid;
  const fits = ({ metadata }: Stored<T>) => selects(selector, metadata.labels);
  const isStaying = !owner.metadata.deletionTimestamp;
  return {
    owned: candidates.filter((object) => isOwned(object) && fits(object)),
    toAdopt: candidates.filter(
      (object) => isStaying && !controllerOf(object) && !object.metadata.deletionTimestamp && fits(object),
    ),
    toRelease: candidates.filter((object) => isStaying && isOwned(object) && !fits(object)),
  };
}
