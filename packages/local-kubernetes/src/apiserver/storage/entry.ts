/** One stored object: its bytes as they lie in etcd, and the revision that is its resourceVersion. */
export interface Entry {
  readonly key: string;
  /** JSON without resourceVersion; see `encodeStored`. */
  readonly value: Buffer;
  readonly revision: bigint;
}

/**
 * Where a resource's objects lie: "/registry/<group or core>/<plural>/", then "<namespace>/" if it has one, then the
 * name.
 */
export function prefixOf(group: string, plural: string): string {
  return `/registry/${group === "" ? "core" : group}/${plural}/`;
}

export function keyOf(prefix: string, namespace: string | undefined, name: string): string {
  return namespace ? `${prefix}${namespace}/${name}` : `${prefix}${name}`;
}
