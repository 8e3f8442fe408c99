import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import { hasOtherScope } from "../api/scope.ts";

/** The object is not this operator's any more, whatever its watch shows. */
class NotOurs extends Error {
  override readonly name = "NotOurs";
  readonly code = "not-ours";
}

/**
 * Reads an object past the cache, and throws unless it is the one that was seen and still in this operator's scope: a
 * watch may stall while the scope annotation changes, and then two operators have the same object.
 */
export async function expectStillOurs<T extends KubeObject>(
  client: Pick<KubeClient, "get">,
  resource: Resource<T>,
  seen: Stored<T>,
  signal: AbortSignal,
): Promise<Stored<T>> {
  const { namespace, name, uid } = seen.metadata;
  const what = `${resource.kind} ${name}`;
  const live = await client.get(resource, { namespace, name }, { signal }).catch((error: unknown) => {
    if (hasCode(error, "not-found")) throw new NotOurs(`${what} does not exist any more`);
    throw error;
  });
  if (live.metadata.uid !== uid) throw new NotOurs(`${what} was deleted and created again`);
  if (hasOtherScope(seen, live)) {
    throw new NotOurs(`${what} belongs to another operator now: its scope annotation was changed`);
  }
  return live;
}
