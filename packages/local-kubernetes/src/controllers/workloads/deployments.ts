import { createHash } from "node:crypto";
import type { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources, rfc3339, sortedJson } from "@etcd-operator/kubernetes-client";
import type { Deployment, DeploymentCondition, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isFinished } from "../pod-facts.ts";
import type { Again } from "../work-queue.ts";
import { controllerReference, ownedBy } from "./owned.ts";
import { leeway, recreation, rollingStep, sizeOf } from "./rollout.ts";
import { startWorkload, writeStatus } from "./start-workload.ts";

const TEMPLATE_HASH = "pod-template-hash";
/** How soon to look again for the end of an old ReplicaSet's last pod: no event of ours tells of it. */
const OLD_PODS_MS = 500;

/**
 * Has every Deployment's pods made from its present template: one ReplicaSet for each template, and none of the old in
 * the end.
 */
export function startDeployments(context: ControllerContext): void {
  const { deployments: informer, replicaSets: owned } = context.informers;
  const work = (deployment: Stored<Deployment>, client: TrackedClient) => reconcile(context, client, deployment);
  startWorkload(context, { name: "deployments", kind: "Deployment", informer, owned, work });
}

/** One step of a rollout. */
async function reconcile(
  { informers, clock, signal }: ControllerContext,
  client: TrackedClient,
  deployment: Stored<Deployment>,
): Promise<Again | undefined> {
  await informers.pods.cache.waitForSync(signal);
  const sets = ownedBy(deployment, informers.replicaSets);
  const wanted = newSetOf(deployment);
  const newSet = sets.find(({ metadata }) => metadata.name === wanted.metadata.name);
  const oldSets = sets.filter((set) => set !== newSet);
  const hasPods = (set: Stored<ReplicaSet>) => !ownedBy(set, informers.pods).every(isFinished);
  const { newSize, oldSizes } =
    deployment.spec?.strategy?.type === "Recreate"
      ? recreation(deployment, newSet, oldSets, oldSets.some(hasPods))
      : rollingStep(deployment, newSet, oldSets);
  await writeStatus(
    client,
    resources.deployments,
    deployment,
    statusOf(deployment, newSet, oldSets, clock.now()),
    signal,
  );
  const resize = async (set: Stored<ReplicaSet>, replicas: number) => {
    if (sizeOf(set) === replicas) return;
    const patch = { merge: { metadata: { uid: set.metadata.uid }, spec: { replicas } } };
    await client.patch(resources.replicaSets, set.metadata, patch, { signal });
  };
  if (newSet) await resize(newSet, newSize);
  else
    await client.create(resources.replicaSets, { ...wanted, spec: { ...wanted.spec, replicas: newSize } }, { signal });
  for (const [index, set] of oldSets.entries()) {
    if (sizeOf(set) > 0 || hasPods(set)) await resize(set, oldSizes[index] ?? 0);
    else await client.delete(resources.replicaSets, set, { signal });
  }
  return oldSets.length > 0 ? { afterMs: OLD_PODS_MS } : undefined;
}

function newSetOf(deployment: Stored<Deployment>) {
  const { template = {}, selector } = deployment.spec ?? {};
  // Not the value that a real controller has: that one depends on how Go prints structures.
  const hash = createHash("sha256").update(sortedJson(template)).digest("hex").slice(0, 10);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** What `kubectl rollout status`, `wait --for=condition=Available` and `get` look at. */
function statusOf(
  deployment: Stored<Deployment>,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
  nowMs: number,
) {
  const sets = newSet ? [newSet, ...oldSets] : oldSets;
  const sum = (count: (set: ReplicaSet) => number | undefined) => sets.reduce((all, set) => all + (count(set) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status?.availableReplicas);
  return {
    observedGeneration: deployment.metadata.generation,
    replicas: sum(({ status }) => status?.replicas),
    updatedReplicas: newSet?.status?.replicas,
    readyReplicas: sum(({ status }) => status?.readyReplicas),
    availableReplicas,
    unavailableReplicas: Math.max(0, sum(sizeOf) - availableReplicas),
    conditions: [availability(deployment, availableReplicas, nowMs)],
  };
}

function availability(deployment: Deployment, available: number, nowMs: number): DeploymentCondition {
  const is = available >= sizeOf(deployment) - leeway(deployment).unavailable;
  const status = is ? "True" : "False";
  const present = deployment.status?.conditions?.find(({ type }) => type === "Available");
  if (present?.status === status) return present;
  const reason = is ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable";
  const message = is ? "Deployment has minimum availability." : "Deployment does not have minimum availability.";
  const now = rfc3339(nowMs);
  return { type: "Available", status, reason, message, lastUpdateTime: now, lastTransitionTime: now };
}
