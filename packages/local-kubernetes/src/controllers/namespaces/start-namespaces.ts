import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, pathOf, type Resource, resources } from "@etcd-operator/kubernetes-client";
import type { Namespace } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { KnownResources } from "../discovery/known-resources.ts";
import { type Again, WorkQueue } from "../work-queue.ts";

const FINALIZER = "kubernetes";

/** Empties namespaces that are being deleted, then lets them go. */
export function startNamespaces(context: ControllerContext, known: KnownResources): void {
  const { informers, signal, log } = context;
  const queue = new WorkQueue({ name: "namespaces", signal, log, work: (name) => reconcile(context, known, name) });
  informers.namespaces.onChange((change) => {
    if (change.type === "added" || change.type === "modified") {
      if (isGoing(change.object)) queue.add(change.object.metadata.name);
    }
  });
  known.follow((_, change) => {
    if (change.type !== "deleted") return;
    const namespace = informers.namespaces.cache.get({ name: change.object.metadata.namespace ?? "" });
    if (namespace && isGoing(namespace)) queue.add(namespace.metadata.name);
  });
}

function isGoing({ metadata, spec }: Stored<Namespace>): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.finalizers?.includes(FINALIZER) ?? false);
}

async function reconcile(context: ControllerContext, known: KnownResources, name: string): Promise<Again | undefined> {
  const { client, informers, signal } = context;
  const namespace = informers.namespaces.cache.get({ name });
  if (!namespace || !isGoing(namespace)) return undefined;
  if (!known.hasSynced) return { afterMs: 50 };
  const counts = await Promise.all(
    known.all.filter(({ namespaced }) => namespaced).map((resource) => clear(context, resource, name)),
  );
  // What has to end by itself, such as a pod, tells by an event; this is for what does not.
  if (counts.some((count) => count > 0)) return { afterMs: 1_000 };

  const finalizers = namespace.spec?.finalizers?.filter((finalizer) => finalizer !== FINALIZER) ?? [];
  const body = { ...namespace, spec: { ...namespace.spec, finalizers } };
  const path = pathOf(resources.namespaces, { name, subresource: "finalize" });
  await client.request("PUT", path, { body, signal }).catch(ignoreMissing);
  return undefined;
}

/** Deletes all objects of one kind, and tells how many were there: only a look that finds none is proof. */
async function clear({ client, signal }: ControllerContext, resource: Resource, namespace: string): Promise<number> {
  const { items } = await client.list(resource, { namespace, signal }).catch((error: unknown) => {
    // The kind itself is gone by now.
    if (hasCode(error, "not-found")) return { items: [] as Stored<KubeObject>[] };
    throw error;
  });
  const alive = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await Promise.all(
    alive.map(({ metadata }) =>
      client
        .delete(resource, metadata, { preconditions: { uid: metadata.uid }, propagationPolicy: "Background", signal })
        .catch(ignoreMissing),
    ),
  );
  return items.length;
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, "not-found", "conflict")) throw error;
}
