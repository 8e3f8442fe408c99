import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { keyOf, type Stored } from "../../../kubernetes/kube-object.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";
import { controllerOf } from "../workloads/ownership.ts";
import { recorderOf } from "../workloads/recorder-of.ts";
import { watchOwned } from "../workloads/watch-owned.ts";
import { reconcileDeployment } from "./reconcile-deployment.ts";
import { DeploymentWrites } from "./writes.ts";

/** Rolls every Deployment out: a ReplicaSet for each template, and pods moved from the old to the new. */
export function startDeployments(context: ControllerContext): void {
  const { informers, clock, signal, log } = context;
  const writes = new DeploymentWrites(context, recorderOf(context, "deployment-controller"));
  const work = (key: string) => reconcileDeployment(context, writes, key);
  const queue = new WorkQueue({ name: "deployments", signal, log, clock, work });
  const wake = (key: string) => queue.add(key);
  informers.deployments.onChange((change) => {
    if (change.type !== "synced") wake(keyOf(change.object.metadata));
  });
  watchOwned({ owners: informers.deployments, ownerKind: "Deployment", objects: informers.replicaSets, wake });
  // Recreate waits for the last old pod, of which the ReplicaSet's counts do not tell while it is going.
  informers.pods.onChange((change) => {
    if (change.type === "deleted") wakeDeploymentOf(context, change.object, wake);
  });
}

function wakeDeploymentOf({ informers }: ControllerContext, pod: Stored<Pod>, wake: (key: string) => void): void {
  const { namespace } = pod.metadata;
  const set = controllerOf(pod);
  const found = set?.kind === "ReplicaSet" ? informers.replicaSets.cache.get({ namespace, name: set.name }) : undefined;
  const owner = found && controllerOf(found);
  if (owner?.kind === "Deployment") wake(keyOf({ namespace, name: owner.name }));
}
