import { isDeepStrictEqual } from "node:util";
import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { messageOf } from "../workloads/create-pods.ts";
import { controllerOf, controllerReference } from "../workloads/ownership.ts";
import { conditionOf, withCondition } from "./deployment-conditions.ts";
import { REVISION, TEMPLATE_HASH } from "./deployment-names.ts";
import { hasDeadline, progressCondition } from "./progress.ts";
import { annotationsOfNewSet, nextRevision, sizeAnnotations } from "./revisions.ts";
import { type Rollout, wantedReplicas } from "./rollout.ts";
import { newSetReplicas } from "./scalings.ts";
import { isSameTemplate, templateHash } from "./template-hash.ts";
import type { DeploymentWrites } from "./writes.ts";

/** The rollout with a ReplicaSet for the present template, made where there is none, and with the Deployment's revision noted. */
export async function withNewSet(
  context: ControllerContext,
  writes: DeploymentWrites,
  rollout: Rollout,
): Promise<Rollout> {
  return rollout.newSet ? refreshed(context, writes, rollout, rollout.newSet) : created(context, writes, rollout);
}

/** One that is there already follows the Deployment's annotations; it may be an old one that is new again. */
export async function refreshed(
  { clock }: ControllerContext,
  writes: DeploymentWrites,
  rollout: Rollout,
  present: Stored<ReplicaSet>,
): Promise<Rollout> {
  const { deployment, oldSets } = rollout;
  const annotations = annotationsOfNewSet(deployment, present.metadata.annotations ?? {}, nextRevision(oldSets));
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  const isSame =
    isDeepStrictEqual(annotations, present.metadata.annotations ?? {}) &&
    minReadySeconds === (present.spec?.minReadySeconds ?? 0);
  const wanted = {
    ...present,
    metadata: { ...present.metadata, annotations: { ...annotations } },
    ...(present.spec && { spec: { ...present.spec, minReadySeconds } }),
  };
  const newSet = isSame ? present : await writes.sets.update(wanted);
  const found = progressCondition(
    "True",
    "FoundNewReplicaSet",
    `Found new replica set "${newSet.metadata.name}"`,
    clock.now(),
  );
  const isUnknown = !conditionOf(deployment.status?.conditions, "Progressing");
  const revision = newSet.metadata.annotations?.[REVISION];
  const noted = await noteRevision(writes, deployment, revision, isUnknown ? found : undefined);
  return { ...rollout, deployment: noted, newSet };
}

async function created(context: ControllerContext, writes: DeploymentWrites, rollout: Rollout): Promise<Rollout> {
  const { deployment, oldSets } = rollout;
  const now = context.clock.now();
  const revision = nextRevision(oldSets);
  const wanted = newSetOf(rollout, revision);
  const { name } = wanted.metadata;
  try {
    const newSet = await writes.sets.create(wanted);
    const replicas = wantedReplicas(newSet);
    if (replicas > 0) writes.tellScaling(deployment, "up", name, 0, replicas);
    const made = progressCondition("True", "NewReplicaSetCreated", `Created new replica set "${name}"`, now);
    return { ...rollout, newSet, deployment: await noteRevision(writes, deployment, String(revision), made) };
  } catch (error) {
    if (hasCode(error, "already-exists")) return ofSameName(context, writes, rollout, name);
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`;
    writes.events.record(deployment, { type: "Warning", reason: "ReplicaSetCreateError", message });
    await noteRevision(
      writes,
      deployment,
      undefined,
      progressCondition("False", "ReplicaSetCreateError", message, now),
    );
    throw error;
  }
}

/** Ours, and not in the cache yet; or of another template with the same hash, or somebody else's: then another hash is tried. */
async function ofSameName(
  { client, signal }: ControllerContext,
  writes: DeploymentWrites,
  rollout: Rollout,
  name: string,
): Promise<Rollout> {
  const { deployment } = rollout;
  const { namespace, uid } = deployment.metadata;
  const newSet = await client.get(resources.replicaSets, { namespace, name }, { signal });
  const isOurs = controllerOf(newSet)?.uid === uid && isSameTemplate(newSet.spec?.template, deployment.spec?.template);
  if (isOurs) return { ...rollout, newSet };
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  const noted = await writes.deployments.updateStatus({
    ...deployment,
    status: { ...deployment.status, collisionCount },
  });
  return { ...rollout, deployment: noted };
}

function newSetOf(rollout: Rollout, revision: number): ReplicaSet & { metadata: { name: string } } {
  const { deployment } = rollout;
  const { template = {}, selector, minReadySeconds } = deployment.spec ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [TEMPLATE_HASH]: hash };
  return {
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? "",
      labels,
      annotations: { ...annotationsOfNewSet(deployment, {}, revision), ...sizeAnnotations(deployment) },
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas: newSetReplicas(rollout),
      ...(minReadySeconds && { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

async function noteRevision(
  writes: DeploymentWrites,
  deployment: Stored<Deployment>,
  revision: string | undefined,
  condition: ReturnType<typeof progressCondition> | undefined,
): Promise<Stored<Deployment>> {
  const { metadata, status } = deployment;
  const annotations = { ...metadata.annotations, ...(revision && { [REVISION]: revision }) };
  const conditions =
    condition && hasDeadline(deployment) ? withCondition(status?.conditions ?? [], condition) : undefined;
  const isSame = isDeepStrictEqual(annotations, metadata.annotations ?? {}) && !conditions;
  if (isSame) return deployment;
  return writes.deployments.updateStatus({
    ...deployment,
    metadata: { ...metadata, annotations },
    status: { ...status, ...(conditions && { conditions }) },
  });
}
