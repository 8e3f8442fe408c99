import type { KubeObject, Resource } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ToWrite, WriteObjects } from "../model/action.ts";
import { mergePatch } from "./merge-patch.ts";
import { ownerReference } from "./owner.ts";

type Written = KubeObject & { spec?: object };

/**
 * Makes the Services and the disruption budget, or puts right what somebody changed on them. Not for a cluster that is gone: what is
 * made for it goes at once, and would be made again for as long as a cache still shows it.
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

/** Whoever made an object of this name keeps it: the next pass finds out whether that was us. */
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
    return postponed(`${resource.kind} ${wanted.metadata?.name} is there already, and may be somebody else's`, 1_000);
  }
}
