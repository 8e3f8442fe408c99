import { isDeepStrictEqual } from "node:util";
import { hasCode, keyOf, pathOf, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { selects } from "../../label-selector.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { KnownResources } from "../discovery/known-resources.ts";
import { isFinished } from "../pod-facts.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { controllerOf } from "../workloads/owned.ts";
import { budgetStatus, needsScale } from "./budget-status.ts";

/** Keeps the status of disruption budgets in step with their pods: the API server decides about evictions by it. */
export function startDisruption(context: ControllerContext, known: KnownResources): void {
  const { informers, signal, log } = context;
  const queue = new WorkQueue({ name: "disruption", signal, log, work: (key) => reconcile(context, known, key) });
  informers.podDisruptionBudgets.onChange((change) => {
    if (change.type === "added" || change.type === "modified") queue.add(keyOf(change.object.metadata));
  });
  informers.pods.onChange((change) => {
    if (change.type === "synced") return;
    const pods = change.type === "modified" ? [change.old, change.object] : [change.object];
    for (const budget of informers.podDisruptionBudgets.cache.list(change.object.metadata.namespace)) {
      if (pods.some((pod) => covers(budget, pod))) queue.add(keyOf(budget.metadata));
    }
  });
}

function covers({ spec }: PodDisruptionBudget, { metadata }: Stored<Pod>): boolean {
  return selects(spec?.selector, metadata.labels);
}

async function reconcile(context: ControllerContext, known: KnownResources, key: string): Promise<Again | undefined> {
  const { client, informers, signal } = context;
  const read = [informers.pods, informers.podDisruptionBudgets, informers.replicaSets];
  await Promise.all(read.map(({ cache }) => cache.waitForSync(signal)));
  const budget = informers.podDisruptionBudgets.cache.get(refOf(key));
  if (!budget || budget.metadata.deletionTimestamp) return undefined;
  const pods = informers.pods.cache
    .list(budget.metadata.namespace)
    .filter((pod) => covers(budget, pod) && !isFinished(pod));
  const expected = needsScale(budget.spec ?? {}) ? await expectedPods(context, known, pods) : pods.length;
  const status = budgetStatus(budget, pods, expected, Date.now());
  if (!isDeepStrictEqual(budget.status, status)) {
    await client.updateStatus(resources.podDisruptionBudgets, { ...budget, status }, { signal });
  }
  return status.disruptedPods ? { afterMs: 10_000 } : undefined;
}

/** The sum of what the controllers of the pods are set to; undefined when one of them does not tell. */
async function expectedPods(
  context: ControllerContext,
  known: KnownResources,
  pods: readonly Stored<Pod>[],
): Promise<number | undefined> {
  const owners = new Map(
    pods.flatMap(({ metadata }) => {
      const owner = scaleOwner(context, metadata);
      return owner ? [[owner.uid, { ...owner, namespace: metadata.namespace }] as const] : [];
    }),
  );
  const scales = await Promise.all(
    [...owners.values()].map(async ({ apiVersion, kind, name, namespace }) => {
      const resource = known.find(apiVersion, kind);
      if (!resource) return undefined;
      const path = pathOf(resource, { namespace, name, subresource: "scale" });
      return scaleAt(context, path);
    }),
  );
  return scales.some((scale) => scale === undefined)
    ? undefined
    : scales.reduce<number>((sum, it) => sum + (it ?? 0), 0);
}

/**
 * The controller that decides how many pods there are: of a Deployment's pods the Deployment, which may have two
 * ReplicaSets at a time.
 */
function scaleOwner({ informers }: ControllerContext, { namespace, ownerReferences }: Stored<Pod>["metadata"]) {
  const owner = ownerReferences?.find(({ controller }) => controller);
  const set = owner?.kind === "ReplicaSet" && informers.replicaSets.cache.get({ namespace, name: owner.name });
  return (set && controllerOf(set)) || owner;
}

async function scaleAt({ client, signal }: ControllerContext, path: string): Promise<number | undefined> {
  try {
    const { spec } = await client.request<{ spec?: { replicas?: number } }>("GET", path, { signal });
    return spec?.replicas ?? 0;
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}
