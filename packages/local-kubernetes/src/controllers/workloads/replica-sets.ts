import type { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isActive, isReady } from "../pod-facts.ts";
import { createPods, ownedBy } from "./owned.ts";
import { startWorkload, writeStatus } from "./start-workload.ts";

/** Keeps the number of pods of every ReplicaSet. */
export function startReplicaSets(context: ControllerContext): void {
  const { replicaSets: informer, pods: owned } = context.informers;
  const work = (set: Stored<ReplicaSet>, client: TrackedClient) => reconcile(context, client, set);
  startWorkload(context, { name: "replica sets", kind: "ReplicaSet", informer, owned, work });
}

async function reconcile(
  context: ControllerContext,
  client: TrackedClient,
  set: Stored<ReplicaSet>,
): Promise<undefined> {
  const { informers, signal } = context;
  const pods = ownedBy(set, informers.pods).filter(isActive);
  const ready = pods.filter(isReady);
  const status = {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.length,
  };
  await writeStatus(client, resources.replicaSets, set, status, signal);
  const wanted = set.spec?.replicas ?? 1;
  await createPods(context, client, set, set.spec?.template ?? {}, wanted - pods.length);
  // Pods that serve no requests are deleted first.
  const inOrder = [...pods.filter((pod) => !isReady(pod)), ...ready];
  for (const pod of inOrder.slice(0, Math.max(0, pods.length - wanted))) {
    await client.delete(resources.pods, pod, { signal });
  }
}
