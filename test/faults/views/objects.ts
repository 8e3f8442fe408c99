/** What a view is wrong about: the kinds of objects that the operator's caches hold. */
export const OBJECTS = {
  everything: [
    ...["etcdclusters", "pods", "persistentvolumeclaims", "services", "poddisruptionbudgets"],
    ...["etcdbackups", "etcdrestores"],
  ],
  clusters: ["etcdclusters"],
  pods: ["pods"],
  claims: ["persistentvolumeclaims"],
  // Everything but the cluster itself.
  children: ["pods", "persistentvolumeclaims", "services", "poddisruptionbudgets"],
} as const satisfies Record<string, readonly string[]>;

export type ObjectsName = keyof typeof OBJECTS;

export function concernsOf(name: ObjectsName): (plural: string) => boolean {
  const plurals: readonly string[] = OBJECTS[name];
  return (plural) => plurals.includes(plural);
}
