import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, hasCode, linkedAbort, pause, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { isInUse } from "./abandoned-workers.ts";
import { removePod } from "./owned-pods.ts";

export interface StrayPods<T extends KubeObject> {
  readonly client: Pick<KubeClient, "get" | "list" | "delete">;
  /** What the pods were made for; those of other kinds are left to the controllers of those. */
  readonly owners: Resource<T>;
  /** Each sort of pod by its labels. */
  readonly sorts: readonly Readonly<Record<string, string>>[];
  readonly scope: {
    /** The namespace to check; all namespaces when absent. */
    readonly namespace: string | undefined;
    covers(owner: Pick<Stored, "metadata">): boolean;
  };
  /** Throws when this process must not write any more. */
  readonly fence: (what: string) => void;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

/** What ends by itself ends within this time, too: this is for pods that never got so far. */
const PERIOD_MS = 600_000;

/** Removes strays now and then; returns what ends that. Never throws. */
export function sweepStrayPods<T extends KubeObject>(options: StrayPods<T>, parent: AbortSignal): () => void {
  const { signal, abort, unlink } = linkedAbort(parent);
  const sweep = async () => {
    while (!signal.aborted) {
      await removeStrayPods(options, signal).catch((error: unknown) => signal.aborted || options.onError(error));
      await pause(options.clock, PERIOD_MS, signal);
    }
    unlink();
  };
  void sweep();
  return () => abort();
}

/**
 * Removes the pods that this process does not use though their owner is its own: a process that was killed has left
 * them.
 */
export async function removeStrayPods<T extends KubeObject>(options: StrayPods<T>, signal: AbortSignal): Promise<void> {
  const { client, sorts, scope, fence } = options;
  const { namespace } = scope;
  for (const sort of sorts) {
    const labelSelector = Object.entries(sort)
      .map((label) => label.join("="))
      .join(",");
    const { items } = await client.list(resources.pods, { namespace, labelSelector, signal });
    for (const pod of items) {
      if (!(await isStray(options, pod, signal))) continue;
      fence(`removing pod ${pod.metadata.name}`);
      await removePod(client, pod, signal);
    }
  }
}

/**
 * Read live: the cache may not show yet that the owner is not this operator's any more. One without an owner is the
 * garbage collector's.
 */
async function isStray<T extends KubeObject>(
  { client, owners, scope }: StrayPods<T>,
  { metadata }: Stored<Pod>,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace = "", name, deletionTimestamp } = metadata;
  const reference = metadata.ownerReferences?.find(({ kind }) => kind === owners.kind);
  if (!reference || deletionTimestamp || isInUse(namespace, name)) return false;
  try {
    const owner = await client.get(owners, { namespace, name: reference.name }, { signal });
    return owner.metadata.uid === reference.uid && scope.covers(owner) && !isInUse(namespace, name);
  } catch (error) {
    if (hasCode(error, "not-found")) return false;
    throw error;
  }
}
