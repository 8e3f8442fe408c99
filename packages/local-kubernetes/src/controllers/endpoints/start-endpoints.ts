import { isDeepStrictEqual } from "node:util";
import { hasCode, keyOf, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Endpoints, Pod, Service } from "kubernetes-types/core/v1.d.ts";
import type { EndpointSlice } from "kubernetes-types/discovery/v1.d.ts";
import { hasLabels } from "../../label-selector.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";
import { endpointSlices, MANAGED_BY, SERVICE_NAME, US } from "./endpoint-slices.ts";
import { endpointsOf } from "./endpoints.ts";

/** Keeps EndpointSlices and Endpoints of every Service with a selector in step with its pods. */
export function startEndpoints(context: ControllerContext): void {
  const { informers, signal, log } = context;
  const queue = new WorkQueue({ name: "endpoints", signal, log, work: (key) => reconcile(context, key) });
  informers.services.onChange((change) => {
    if (change.type !== "synced") queue.add(keyOf(change.object.metadata));
  });
  informers.pods.onChange((change) => {
    // Changes that came before the Services were known are made up for when these are.
    if (change.type === "synced") return;
    const pods = change.type === "modified" ? [change.old, change.object] : [change.object];
    for (const service of servicesOf(context, pods)) queue.add(keyOf(service.metadata));
  });
  for (const informer of [informers.endpointSlices, informers.endpoints] as const) {
    informer.onChange((change) => {
      if (change.type === "added" || change.type === "synced") return;
      const { namespace, name, labels } = change.object.metadata;
      queue.add(keyOf({ namespace, name: labels?.[SERVICE_NAME] ?? name }));
    });
  }
}

function servicesOf({ informers }: ControllerContext, pods: readonly Stored<Pod>[]): Stored<Service>[] {
  const namespace = pods[0]?.metadata.namespace;
  return informers.services.cache.list(namespace).filter((service) => pods.some((pod) => isBehind(service, pod)));
}

function isBehind({ spec }: Service, { metadata }: Stored<Pod>): boolean {
  return spec?.selector !== undefined && hasLabels(metadata.labels, spec.selector);
}

async function reconcile(context: ControllerContext, key: string): Promise<undefined> {
  const { informers, signal } = context;
  await Promise.all(
    [informers.pods, informers.services, informers.endpointSlices, informers.endpoints].map(({ cache }) =>
      cache.waitForSync(signal),
    ),
  );
  const service = informers.services.cache.get(refOf(key));
  // Without a selector another controller owns them; without a Service the garbage collector removes them.
  if (!service?.spec?.selector || service.metadata.deletionTimestamp) return removeEndpoints(context, key, service);
  if (service.spec.type === "ExternalName") return undefined;
  const pods = informers.pods.cache.list(service.metadata.namespace).filter((pod) => isBehind(service, pod));
  await Promise.all([
    reconcileSlices(context, service, endpointSlices(service, pods)),
    reconcileEndpoints(context, endpointsOf(service, pods)),
  ]);
  return undefined;
}

async function removeEndpoints(
  { client, informers, signal }: ControllerContext,
  key: string,
  service: Stored<Service> | undefined,
): Promise<undefined> {
  const endpoints = informers.endpoints.cache.get(refOf(key));
  const isOurs = endpoints?.metadata.labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller";
  if (service || !endpoints || !isOurs || endpoints.metadata.deletionTimestamp) return undefined;
  const preconditions = { uid: endpoints.metadata.uid };
  await client.delete(resources.endpoints, refOf(key), { preconditions, signal }).catch(ignoreMissing);
  return undefined;
}

async function reconcileSlices(
  { client, informers, signal }: ControllerContext,
  { metadata }: Stored<Service>,
  wanted: readonly EndpointSlice[],
): Promise<void> {
  const ours = informers.endpointSlices.cache
    .list(metadata.namespace)
    .filter(({ metadata: { labels } }) => labels?.[SERVICE_NAME] === metadata.name && labels[MANAGED_BY] === US);
  const old = new Map(ours.map((slice) => [slice.metadata.name, slice]));
  const names = new Set(wanted.map((slice) => slice.metadata?.name ?? ""));
  await Promise.all(
    wanted.map((slice) =>
      write(old.get(slice.metadata?.name ?? ""), slice, sliceFacts, {
        create: (object) => client.create(resources.endpointSlices, object, { signal }),
        update: (object) => client.update(resources.endpointSlices, object, { signal }),
      }),
    ),
  );
  // Only now: an endpoint that moves to another slice is never in none.
  const obsolete = ours.filter((slice) => !names.has(slice.metadata.name));
  await Promise.all(
    obsolete.map((slice) => client.delete(resources.endpointSlices, slice.metadata, { signal }).catch(ignoreMissing)),
  );
}

async function reconcileEndpoints({ client, informers, signal }: ControllerContext, wanted: Endpoints): Promise<void> {
  const { namespace, name = "" } = wanted.metadata ?? {};
  const old = informers.endpoints.cache.get({ namespace, name });
  await write(old, wanted, endpointsFacts, {
    create: (object) => client.create(resources.endpoints, object, { signal }),
    update: (object) => client.update(resources.endpoints, object, { signal }),
  });
}

const sliceFacts = ({ metadata, endpoints, ports }: EndpointSlice) => [metadata?.labels, endpoints ?? [], ports ?? []];
const endpointsFacts = ({ metadata, subsets }: Endpoints) => [metadata?.labels ?? {}, subsets ?? []];

async function write<T extends EndpointSlice | Endpoints>(
  old: Stored<T> | undefined,
  wanted: T,
  facts: (object: T) => unknown,
  { create, update }: { create: (object: T) => Promise<unknown>; update: (object: T) => Promise<unknown> },
): Promise<void> {
  if (!old) await create(wanted);
  else if (!isDeepStrictEqual(facts(old), facts(wanted))) {
    const { resourceVersion } = old.metadata;
    await update({ ...wanted, metadata: { ...wanted.metadata, resourceVersion } });
  }
}

function ignoreMissing(error: unknown): void {
  if (!hasCode(error, "not-found")) throw error;
}
