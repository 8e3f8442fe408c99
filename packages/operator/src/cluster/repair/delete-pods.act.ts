import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, DONE, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId } from "../model/action.ts";
import type { PodSeen } from "../model/observation.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { type Belonging, whyStillNeeded } from "../restore/still-needed.act.ts";

/** Deletes the very pods that were seen, and of members in the list only those in which nothing runs or ever will. */
export async function deletePods(work: Work, pods: readonly ObjectId[]): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const running = pods.flatMap(({ name, uid }): Belonging[] => {
    const pod = work.seen.pods.find((each) => each.uid === uid);
    if (!pod) return [{ name, memberId: undefined, incarnation: undefined }];
    return isIdle(pod) ? [] : [pod];
  });
  const need = running.length > 0 ? await whyStillNeeded(work, running) : undefined;
  return need ?? allOf(pods.map((pod) => deletePod(work, pod)));
}

/** Ended for good, kept from starting by the guard, or not run yet; the version as a precondition keeps it so. */
function isIdle({ stage, refusal, isScheduled, memberId, usesClaim }: PodSeen): boolean {
  const isUntouched = !isScheduled || (stage === "pending" && (memberId === undefined || usesClaim));
  return stage === "ended" || refusal !== undefined || isUntouched;
}

/** This very pod, in this very version. */
export async function deletePod(
  { seen, live, writer }: Work,
  { name, uid, resourceVersion }: ObjectId,
): Promise<ActionOutcome> {
  const pod = await live.find(resources.pods, name);
  if (!pod) return DONE;
  const isSame = pod.metadata.uid === uid && pod.metadata.resourceVersion === resourceVersion;
  if (!isSame || !isOwnedBy(pod, seen.cluster.metadata.uid))
    return postponed(`Pod ${name} has changed since it was read`);
  return unlessChanged(`Pod ${name}`, () => writer.delete(resources.pods, pod));
}
