import { isDeepStrictEqual } from "node:util";
import type { Deployment, DeploymentStatus, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import { refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isFinished } from "../pod-facts.ts";
import type { Again } from "../work-queue.ts";
import { claimObjects } from "../workloads/claim-objects.ts";
import { controllerOf } from "../workloads/ownership.ts";
import { withCondition } from "./deployment-conditions.ts";
import { DESIRED_REPLICAS } from "./deployment-names.ts";
import { countedStatus, deploymentStatus } from "./deployment-status.ts";
import { refreshed, withNewSet } from "./new-set.ts";
import { deadlineInMs, isComplete, pauseCondition } from "./progress.ts";
import { outdatedSets } from "./revisions.ts";
import { allSets, type Rollout, rolloutOf, wantedReplicas } from "./rollout.ts";
import { rollingStep, sharedScalings } from "./scalings.ts";
import type { DeploymentWrites } from "./writes.ts";

/** One pass over a Deployment: one step, and the status that follows. */
export async function reconcileDeployment(
  context: ControllerContext,
  writes: DeploymentWrites,
  key: string,
): Promise<Again | undefined> {
  const { informers, signal } = context;
  const read = [informers.deployments, informers.replicaSets, informers.pods] as const;
  await Promise.all(read.map(({ cache }) => cache.waitForSync(signal)));
  const deployment = informers.deployments.cache.get(refOf(key));
  if (!deployment) return undefined;
  if (isDeepStrictEqual(deployment.spec?.selector, {})) return refuseToSelectAll(writes, deployment);
  const sets = await setsOf(context, deployment);
  if (deployment.metadata.deletionTimestamp) {
    return writeStatus(writes, deployment, countedStatus(rolloutOf(deployment, sets), context.clock.now()));
  }
  return advance(context, writes, rolloutOf(await withPause(context, writes, deployment), sets));
}

async function advance(
  context: ControllerContext,
  writes: DeploymentWrites,
  rollout: Rollout,
): Promise<Again | undefined> {
  if (rollout.deployment.spec?.paused || isResized(rollout)) return resize(context, writes, rollout);
  return rollout.deployment.spec?.strategy?.type === "Recreate"
    ? recreate(context, writes, rollout)
    : roll(context, writes, rollout);
}

async function roll(context: ControllerContext, writes: DeploymentWrites, start: Rollout): Promise<Again | undefined> {
  const rollout = await withNewSet(context, writes, start);
  await writes.scale(rollout.deployment, rollingStep(rollout));
  return finish(context, writes, rollout);
}

/** All of the old go before any of the new comes. */
async function recreate(
  context: ControllerContext,
  writes: DeploymentWrites,
  start: Rollout,
): Promise<Again | undefined> {
  const present = start.newSet ? await refreshed(context, writes, start, start.newSet) : start;
  const old = present.oldSets.filter((set) => wantedReplicas(set) > 0);
  await writes.scale(
    present.deployment,
    old.map((set) => ({ set, replicas: 0 })),
  );
  if (old.length > 0 || hasOldPods(context, present)) return finish(context, writes, present);
  const rollout = await withNewSet(context, writes, present);
  const { newSet, deployment } = rollout;
  await writes.scale(deployment, newSet ? [{ set: newSet, replicas: wantedReplicas(deployment) }] : []);
  return finish(context, writes, rollout);
}

/** A changed number of replicas is followed at once, also while paused or in the middle of a rollout. */
async function resize(
  context: ControllerContext,
  writes: DeploymentWrites,
  start: Rollout,
): Promise<Again | undefined> {
  const rollout = start.newSet ? await refreshed(context, writes, start, start.newSet) : start;
  const { deployment } = rollout;
  await writes.scale(deployment, sharedScalings(rollout));
  if (deployment.spec?.paused) await cleanUp(writes, rollout);
  return writeStatus(writes, deployment, countedStatus(seenNow(context, rollout), context.clock.now()));
}

async function finish(
  context: ControllerContext,
  writes: DeploymentWrites,
  rollout: Rollout,
): Promise<Again | undefined> {
  if (isComplete(rollout.deployment, rollout.deployment.status)) await cleanUp(writes, rollout);
  const nowMs = context.clock.now();
  const status = deploymentStatus(seenNow(context, rollout), nowMs);
  await writeStatus(writes, rollout.deployment, status);
  const afterMs = deadlineInMs(rollout.deployment, status, nowMs);
  return afterMs === undefined ? undefined : { afterMs };
}

async function cleanUp(writes: DeploymentWrites, { deployment, oldSets }: Rollout): Promise<void> {
  for (const set of outdatedSets(deployment, oldSets)) await writes.sets.delete(set);
}

async function writeStatus(
  writes: DeploymentWrites,
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
): Promise<undefined> {
  if (!isDeepStrictEqual(status, deployment.status)) await writes.deployments.updateStatus({ ...deployment, status });
  return undefined;
}

async function withPause(
  { clock }: ControllerContext,
  writes: DeploymentWrites,
  deployment: Stored<Deployment>,
): Promise<Stored<Deployment>> {
  const condition = pauseCondition(deployment, clock.now());
  if (!condition) return deployment;
  const conditions = withCondition(deployment.status?.conditions ?? [], condition);
  return writes.deployments.updateStatus({ ...deployment, status: { ...deployment.status, conditions } });
}

async function refuseToSelectAll(writes: DeploymentWrites, deployment: Stored<Deployment>): Promise<undefined> {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  writes.events.record(deployment, { type: "Warning", reason: "SelectingAll", message });
  const { generation } = deployment.metadata;
  return writeStatus(writes, deployment, {
    ...deployment.status,
    ...(generation && { observedGeneration: generation }),
  });
}

function setsOf(context: ControllerContext, deployment: Stored<Deployment>): Promise<Stored<ReplicaSet>[]> {
  return claimObjects(context, {
    owner: deployment,
    ownerResource: resources.deployments,
    selector: deployment.spec?.selector,
    resource: resources.replicaSets,
    candidates: context.informers.replicaSets.cache.list(deployment.metadata.namespace),
  });
}

function isResized(rollout: Rollout): boolean {
  const wanted = wantedReplicas(rollout.deployment);
  return allSets(rollout).some((set) => {
    const desired = set.metadata.annotations?.[DESIRED_REPLICAS];
    return wantedReplicas(set) > 0 && desired !== undefined && Number(desired) !== wanted;
  });
}

function hasOldPods({ informers }: ControllerContext, { deployment, oldSets }: Rollout): boolean {
  const uids = new Set(oldSets.map(({ metadata }) => metadata.uid));
  return informers.pods.cache
    .list(deployment.metadata.namespace)
    .some((pod) => uids.has(controllerOf(pod)?.uid ?? "") && !isFinished(pod));
}

/** The ReplicaSets as they are after this pass has written. */
function seenNow({ informers }: ControllerContext, { deployment, newSet, oldSets }: Rollout): Rollout {
  const now = ({ metadata }: Stored<ReplicaSet>) => informers.replicaSets.cache.get(metadata);
  return { deployment, newSet: newSet && now(newSet), oldSets: oldSets.flatMap((set) => now(set) ?? []) };
}
