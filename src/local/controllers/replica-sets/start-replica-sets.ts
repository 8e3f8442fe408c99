import { isDeepStrictEqual } from "node:util";
import type { ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import { keyOf, refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { isAboutGoingNamespace } from "../../../kubernetes/kubernetes-error.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isActive } from "../pod-facts.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { claimObjects } from "../workloads/claim-objects.ts";
import { createPods, deletePods, messageOf } from "../workloads/create-pods.ts";
import { inDeletionOrder } from "../workloads/deletion-order.ts";
import { controllerOf, ownershipOf } from "../workloads/ownership.ts";
import { podFromTemplate } from "../workloads/pod-from-template.ts";
import { recorderOf } from "../workloads/recorder-of.ts";
import { SeenWrites } from "../workloads/seen-writes.ts";
import { watchOwned } from "../workloads/watch-owned.ts";
import { nextAvailableInMs, replicaSetStatus, type ScaleFailure } from "./replica-set-status.ts";

/** As many as one pass makes or deletes. */
const BURST = 500;

/** Keeps the number of pods of every ReplicaSet. */
export function startReplicaSets(context: ControllerContext): void {
  const { informers, clock, signal, log } = context;
  const events = recorderOf(context, "replicaset-controller");
  const work = (key: string) => reconcile(context, events, key);
  const queue = new WorkQueue({ name: "replica sets", signal, log, clock, work });
  informers.replicaSets.onChange((change) => {
    if (change.type !== "synced") queue.add(keyOf(change.object.metadata));
  });
  watchOwned({
    owners: informers.replicaSets,
    ownerKind: "ReplicaSet",
    objects: informers.pods,
    wake: (key) => queue.add(key),
  });
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Again | undefined> {
  const { informers, clock, signal } = context;
  await Promise.all([informers.pods, informers.replicaSets].map(({ cache }) => cache.waitForSync(signal)));
  const set = informers.replicaSets.cache.get(refOf(key));
  if (!set) return undefined;
  const claimed = await podsOf(context, set);
  const [failure, error] = set.metadata.deletionTimestamp ? [] : await scale(context, events, set, claimed);
  const active = informers.pods.cache.list(set.metadata.namespace).filter(isActive);
  const present = ownershipOf(set, set.spec?.selector, active).owned;
  const status = replicaSetStatus(set, present, failure, clock.now());
  if (!isDeepStrictEqual(status, set.status)) {
    await new SeenWrites(context, resources.replicaSets).updateStatus({ ...set, status });
  }
  if (error) throw error;
  const afterMs = nextAvailableInMs(set, present, clock.now());
  return afterMs === undefined ? undefined : { afterMs };
}

function podsOf(context: ControllerContext, set: Stored<ReplicaSet>): Promise<Stored<Pod>[]> {
  return claimObjects(context, {
    owner: set,
    ownerResource: resources.replicaSets,
    selector: set.spec?.selector,
    resource: resources.pods,
    candidates: context.informers.pods.cache.list(set.metadata.namespace).filter(isActive),
  });
}

/** Makes what is missing or deletes what is too much; a failure is for the status as well as for another try. */
async function scale(
  context: ControllerContext,
  events: EventRecorder,
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
): Promise<[ScaleFailure, Error] | []> {
  const work = { owner: set, writes: new SeenWrites(context, resources.pods), events };
  const missing = (set.spec?.replicas ?? 1) - pods.length;
  const template = set.spec?.template ?? {};
  const error =
    missing >= 0
      ? await createPods(
          work,
          Array.from({ length: Math.min(missing, BURST) }, () => podFromTemplate(template, set)),
        )
      : await deletePods(work, surplus(context, set, pods, Math.min(-missing, BURST)));
  if (!error || isAboutGoingNamespace(error)) return [];
  return [{ reason: missing > 0 ? "FailedCreate" : "FailedDelete", message: messageOf(error) }, error];
}

function surplus(
  { informers, clock }: ControllerContext,
  set: Stored<ReplicaSet>,
  pods: readonly Stored<Pod>[],
  count: number,
): Stored<Pod>[] {
  const owner = controllerOf(set)?.uid;
  const siblings = informers.replicaSets.cache
    .list(set.metadata.namespace)
    .filter((other) => owner !== undefined && controllerOf(other)?.uid === owner);
  const uids = new Set([set, ...siblings].map(({ metadata }) => metadata.uid));
  const related = informers.pods.cache
    .list(set.metadata.namespace)
    .filter((pod) => isActive(pod) && uids.has(controllerOf(pod)?.uid ?? ""));
  return inDeletionOrder(pods, related, clock.now()).slice(0, count);
}
