import type { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Informer, KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";

/** The reference to the one owner that manages an object. */
export function controllerOf({ metadata }: Stored): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller);
}

export function controllerReference({ apiVersion, kind, metadata }: Stored): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** By reference alone: what merely fits a selector is not taken in. */
export function ownedBy<T extends KubeObject>({ metadata }: Stored, { cache }: Informer<T>): Stored<T>[] {
  return cache.list(metadata.namespace).filter((object) => controllerOf(object)?.uid === metadata.uid);
}

/** Makes pods of a template, one after another: what fails for one fails for all. */
export async function createPods(
  { events, signal }: ControllerContext,
  client: TrackedClient,
  owner: Stored,
  { metadata: { labels = {}, annotations = {} } = {}, spec }: PodTemplateSpec,
  count: number,
): Promise<void> {
  const metadata = {
    namespace: owner.metadata.namespace ?? "",
    generateName: `${owner.metadata.name}-`,
    labels,
    annotations,
    ownerReferences: [controllerReference(owner)],
  };
  try {
    for (let made = 0; made < count; made += 1) {
      await client.create(resources.pods, { metadata, ...(spec && { spec }) }, { signal });
    }
  } catch (error) {
    events.record(owner, { type: "Warning", reason: "FailedCreate", message: `Error creating: ${String(error)}` });
    throw error;
  }
}
