import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import type { Informer } from "../../../kubernetes/informer.ts";
import { type KubeObject, keyOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { selects } from "../../label-selector.ts";
import { controllerOf } from "./ownership.ts";

interface OwnerWithSelector extends KubeObject {
  readonly spec?: { readonly selector?: LabelSelector };
}

interface Watched<Owner extends KubeObject, T extends KubeObject> {
  readonly owners: Informer<Owner>;
  readonly ownerKind: string;
  readonly objects: Informer<T>;
  readonly wake: (key: string) => void;
}

/** Wakes the owner of what changes; what has none may be for any owner whose selector it fits. */
export function watchOwned<Owner extends OwnerWithSelector, T extends KubeObject>(watched: Watched<Owner, T>): void {
  const { owners, ownerKind, objects, wake } = watched;
  objects.onChange((change) => {
    if (change.type === "synced") return;
    const states = change.type === "modified" ? [change.old, change.object] : [change.object];
    for (const state of states) {
      const owner = controllerOf(state);
      const { namespace } = state.metadata;
      if (owner?.kind === ownerKind) wake(keyOf({ namespace, name: owner.name }));
      else if (!owner) for (const each of fitting(owners, state)) wake(keyOf(each.metadata));
    }
  });
}

function fitting<Owner extends OwnerWithSelector>(owners: Informer<Owner>, { metadata }: Stored): Stored<Owner>[] {
  const { namespace, labels } = metadata;
  return owners.cache.list(namespace).filter(({ spec }) => selects(spec?.selector, labels));
}
