import type { Change, Informer, KubeObject, Stored } from "@etcd-operator/kubernetes-client";

/** Something that knows when a key needs a look. Called once, when the controller begins; what it returns ends it. */
export type Source = (add: (key: string) => void) => () => void;

type KeysOf<T extends KubeObject> = (object: Stored<T>) => readonly string[];

/**
 * Every change of an object wakes the keys that it belongs to, also those that it belonged to before: a pod whose label
 * changed is missed by its old cluster.
 */
export function fromInformer<T extends KubeObject>(
  informer: Pick<Informer<T, string>, "onChange">,
  keysOf: KeysOf<T>,
): Source {
  return (add) =>
    informer.onChange((change) => {
      for (const key of new Set(objectsIn(change).flatMap((object) => [...keysOf(object)]))) add(key);
    });
}

function objectsIn<T extends KubeObject>(change: Change<T>): readonly Stored<T>[] {
  switch (change.type) {
    case "added":
    case "deleted":
      return [change.object];
    case "modified":
      return [change.old, change.object];
    case "synced":
      return [];
  }
}
