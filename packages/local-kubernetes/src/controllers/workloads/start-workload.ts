import { isDeepStrictEqual } from "node:util";
import { OwnWrites, TrackedClient } from "@etcd-operator/controller-runtime";
import type { Informer, Resource } from "@etcd-operator/kubernetes-client";
import { type KubeObject, keyOf, refOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { ControllerContext } from "../controller-context.ts";
import { sharedInformer } from "../informers.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { controllerOf } from "./owned.ts";

interface Workload<T extends KubeObject, Owned extends KubeObject> {
  /** For the log. */
  readonly name: string;
  readonly kind: string;
  readonly informer: Informer<T>;
  /** What its objects own. */
  readonly owned: Informer<Owned>;
  /** One pass over an object that is to stay; every write goes through the client that it is given. */
  readonly work: (object: Stored<T>, client: TrackedClient) => Promise<Again | undefined>;
}

/**
 * Looks at each object of a kind when it changes, or what it owns. A pass ends when the caches show its writes: one
 * that did not see what the last one did would do it again.
 */
export function startWorkload<T extends KubeObject, Owned extends KubeObject>(
  { informers, client, clock, signal, log }: ControllerContext,
  { name, kind, informer, owned, work }: Workload<T, Owned>,
): void {
  const cachesOf = (resource: Resource) => [sharedInformer(informers, resource)?.cache ?? []].flat();
  const ownWrites = new OwnWrites({ clock, cachesOf });
  const pass = async (key: string) => {
    await Promise.all([informer.cache.waitForSync(signal), owned.cache.waitForSync(signal)]);
    const object = informer.cache.get(refOf(key));
    if (!object || object.metadata.deletionTimestamp) return undefined;
    try {
      return await work(object, new TrackedClient(client, ownWrites.logOf(key)));
    } finally {
      let seen = await ownWrites.settle(key, signal);
      while (seen === "late" && !signal.aborted) seen = await ownWrites.settle(key, signal);
    }
  };
  const queue = new WorkQueue({ name, signal, log, clock, work: pass });
  informer.onChange((change) => {
    if (change.type !== "synced") queue.add(keyOf(change.object.metadata));
  });
  owned.onChange((change) => {
    if (change.type === "synced") return;
    const owner = controllerOf(change.object);
    const { namespace } = change.object.metadata;
    if (owner?.kind === kind) queue.add(keyOf({ namespace, name: owner.name }));
  });
}

/**
 * Writes a status where it is another. What the API server leaves out is left out, too: counts of zero, empty lists,
 * what is undefined.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: TrackedClient,
  resource: Resource<T>,
  object: Stored<T>,
  wanted: { readonly [Field in keyof NonNullable<T["status"]>]: NonNullable<T["status"]>[Field] | undefined },
  signal: AbortSignal,
): Promise<void> {
  const isThere = (value: unknown) =>
    value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0);
  const status = Object.fromEntries(Object.entries(wanted).filter(([, value]) => isThere(value)));
  if (isDeepStrictEqual(status, object.status ?? {})) return;
  await client.updateStatus(resource, { ...object, status } as Stored<T>, { signal });
}
