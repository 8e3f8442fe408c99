import type { Informer } from "@etcd-operator/kubernetes-client";
import { type KubeObject, keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { Source } from "./source.ts";

/** Where the counts go. */
export interface ObjectCounts {
  total(objects: number): void;
  created(): void;
  deleted(): void;
  /** The spec changed; the status does so all the time. */
  modified(): void;
}

/** Counts the objects that a controller looks after, as they come, change and go, in or out of its scope. */
export function countObjects<T extends KubeObject>(
  informer: Pick<Informer<T, string>, "onChange">,
  isOurs: (object: Stored<T>) => boolean,
  counts: ObjectCounts,
): ReturnType<Source> {
  const ours = new Set<string>();
  const come = ({ metadata }: Stored<T>) => {
    ours.add(keyOf(metadata));
    counts.created();
  };
  const go = ({ metadata }: Stored<T>) => {
    if (ours.delete(keyOf(metadata))) counts.deleted();
  };
  counts.total(0);
  return informer.onChange((change) => {
    if (change.type === "synced") return;
    const { object } = change;
    const wasOurs = ours.has(keyOf(object.metadata));
    if (change.type === "deleted" || !isOurs(object)) go(object);
    else if (!wasOurs) come(object);
    else if (change.type === "modified" && isNewSpec(change.old, object)) counts.modified();
    counts.total(ours.size);
  });
}

function isNewSpec(old: Stored, object: Stored): boolean {
  return old.metadata.generation !== object.metadata.generation;
}
