import type { KubeObject, Resource } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ToWrite, WriteObjects } from "../model/action.ts";
import { mergePatch } from "./merge-patch.ts";
import { ownerReference } from "./owner.ts";

type Written = KubeObject & { spec?: object };

/**
 * Creates the Services and the disruption budget, or reverts changes of other clients. Not for a cluster that is
 * gone: what is created for it is deleted at once, and would be created again for as long as a cache still shows it.
 */
export async function writeObjects(work: Work, { services, disruptionBudget }: WriteObjects): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  return allOf([
    ...services.map((service) => write(work, resources.services, service)),
    ...(disruptionBudget ? [write(work, resources.podDisruptionBudgets, disruptionBudget)] : []),
  ]);
}

async function write<T extends Written>(
  work: Work,
  resource: Resource<T>,
  { wanted, present, takesOver }: ToWrite<T>,
): Promise<ActionOutcome> {
  if (!present) return createObject(work, resource, wanted);
  const owners = [...(present.metadata.ownerReferences ?? []), ownerReference(work.seen.cluster)];
  const { labels = {}, spec = {} } = mergePatch(wanted, present) ?? {};
  const changes = { metadata: { labels, ...(takesOver && { ownerReferences: owners }) }, spec };
  const what = `${resource.kind} ${present.metadata.name}`;
  return unlessChanged(what, () => work.writer.patch(resource, present.metadata, changes));
}

/** An existing object of this name is kept: the next reconcile finds out whether we created it. */
export async function createObject<T extends Written>(
  work: Work,
  resource: Resource<T>,
  wanted: T,
): Promise<ActionOutcome> {
  try {
    await work.writer.create(resource, wanted);
    return DONE;
  } catch (error) {
    if (!hasCode(error, "already-exists")) throw error;
    return postponed(`${resource.kind} ${wanted.metadata?.name} already exists and may belong to another owner`, 1_000);
  }
}
