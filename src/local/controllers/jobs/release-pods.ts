import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { controllerOf } from "../workloads/ownership.ts";
import { SeenWrites } from "../workloads/seen-writes.ts";
import { finishedCondition } from "./job-conditions.ts";
import { TRACKING_FINALIZER } from "./job-names.ts";
import { isTracked } from "./pod-tally.ts";

/** Takes from a pod what keeps it for the counting. */
export async function releasePod(context: ControllerContext, { metadata }: Stored<Pod>): Promise<void> {
  const finalizers = [TRACKING_FINALIZER];
  const patch = { strategic: { metadata: { uid: metadata.uid, "$deleteFromPrimitiveList/finalizers": finalizers } } };
  await new SeenWrites(context, resources.pods).patch(metadata, patch).catch(unlessGone);
}

/** Releases a pod whose Job is gone or has ended: nobody counts it any more. */
export async function releaseOrphan(context: ControllerContext, key: string): Promise<undefined> {
  const { informers, client, signal } = context;
  await Promise.all([informers.jobs, informers.pods].map(({ cache }) => cache.waitForSync(signal)));
  const pod = informers.pods.cache.get(refOf(key));
  if (!pod || !isTracked(pod)) return undefined;
  const owner = controllerOf(pod);
  const { namespace } = pod.metadata;
  if (owner?.kind === "Job") {
    // Asked live: a pod may be seen before its Job.
    const job = await client.get(resources.jobs, { namespace, name: owner.name }, { signal }).catch(unlessGone);
    if (job?.metadata.uid === owner.uid && !finishedCondition(job)) return undefined;
  }
  await releasePod(context, pod);
  return undefined;
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, "not-found", "conflict")) throw error;
}
