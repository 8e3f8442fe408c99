import type { KubeObject, Stored } from "../requests/kube-object.ts";

/** The values under which an object is found in an index. */
export type Indexer<T extends KubeObject> = (object: Stored<T>) => readonly string[];

/** "namespace/value" of a label, for the objects that have it. */
export function byLabel(label: string): Indexer<KubeObject> {
  return ({ metadata }) => {
    const value = metadata.labels?.[label];
    return value === undefined ? [] : [metadata.namespace ? `${metadata.namespace}/${value}` : value];
  };
}
