import { applied, memoryEtcd, newKeyValueState } from "../world/memory-etcd.ts";
import { StoredObjects } from "../world/stored-objects.ts";

const NAMESPACE = "tests";

/** An object, as in `["pods/a", { metadata: … }]`, or none where it was deleted. */
export type Written = readonly [place: string, object: object | undefined];

/** For tests of checks: objects that were written one after the other. */
export function objectsWritten(...writes: readonly Written[]): StoredObjects {
  const state = newKeyValueState();
  for (const [place, object] of writes) {
    const [plural = "", name = ""] = place.split("/");
    const key = plural === "persistentvolumes" ? `/registry/${place}` : `/registry/${plural}/${NAMESPACE}/${name}`;
    applied(state, {
      compare: [],
      success: [object ? { kind: "put", key, value: textOf(name, object) } : { kind: "delete", key }],
    });
  }
  return new StoredObjects(memoryEtcd(state), NAMESPACE);
}

function textOf(name: string, object: object): string {
  const { metadata, ...rest } = object as { readonly metadata?: object };
  return JSON.stringify({ metadata: { name, namespace: NAMESPACE, uid: `uid of ${name}`, ...metadata }, ...rest });
}
