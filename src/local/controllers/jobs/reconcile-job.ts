import { isDeepStrictEqual } from "node:util";
import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import { refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { isFinished } from "../pod-facts.ts";
import type { Again } from "../work-queue.ts";
import { claimObjects } from "../workloads/claim-objects.ts";
import { createPods, deletePods } from "../workloads/create-pods.ts";
import { SeenWrites } from "../workloads/seen-writes.ts";
import { finishedCondition } from "./job-conditions.ts";
import { TRACKING_FINALIZER, US } from "./job-names.ts";
import { jobPod } from "./job-pod.ts";
import { jobStatus } from "./job-status.ts";
import { type JobPicture, type JobPlan, planJob } from "./plan-job.ts";
import { backoffAfter, NO_FAILURE, type PodBackoff } from "./pod-backoff.ts";
import { isFailed, isTracked, podTally } from "./pod-tally.ts";
import { releasePod } from "./release-pods.ts";

/** What is remembered of Jobs between passes, and may be lost: how soon after a failure another pod may be made. */
export type Backoffs = Map<string, PodBackoff>;

/** One pass over a Job. */
export async function reconcileJob(
  context: ControllerContext,
  events: EventRecorder,
  backoffs: Backoffs,
  key: string,
): Promise<Again | undefined> {
  const { informers, signal } = context;
  await Promise.all([informers.jobs, informers.pods].map(({ cache }) => cache.waitForSync(signal)));
  const job = informers.jobs.cache.get(refOf(key));
  if (!job || finishedCondition(job)) backoffs.delete(key);
  if (!job || (job.spec?.managedBy !== undefined && job.spec.managedBy !== US)) return undefined;
  if (finishedCondition(job)) return removeWhenOld(context, job);
  const before = await pictureOf(context, job, backoffs.get(key) ?? NO_FAILURE);
  return carryOut(context, events, before, planJob(before), () => backoffs.set(key, before.backoff));
}

async function pictureOf(context: ControllerContext, job: Stored<Job>, backoff: PodBackoff): Promise<JobPicture> {
  const pods = await claimObjects(context, {
    owner: job,
    ownerResource: resources.jobs,
    selector: job.spec?.selector,
    resource: resources.pods,
    candidates: context.informers.pods.cache.list(job.metadata.namespace),
    finalizers: [TRACKING_FINALIZER],
  });
  const tally = podTally(job, pods);
  const { newSucceeded, newFailed } = tally;
  return { job, pods, tally, backoff: backoffAfter(backoff, newSucceeded, newFailed), nowMs: context.clock.now() };
}

async function carryOut(
  context: ControllerContext,
  events: EventRecorder,
  before: JobPicture,
  plan: JobPlan,
  remember: () => void,
): Promise<Again | undefined> {
  const { job, tally } = before;
  const work = { owner: job, writes: new SeenWrites(context, resources.pods), events };
  const pods = plan.toCreate.map((index) => jobPod(job, index));
  // Those that go because they are too many are no failures, and are not counted.
  for (const pod of plan.ending ? [] : plan.toDelete) await releasePod(context, pod);
  const error = (await deletePods(work, plan.toDelete)) ?? (await createPods(work, pods));
  const after = { ...(await pictureOf(context, job, before.backoff)), tally };
  const status = jobStatus(after, plan);
  if (!isDeepStrictEqual(status, job.status)) {
    await new SeenWrites(context, resources.jobs).updateStatus({ ...job, status });
    tell(events, job, { ...job, status });
  }
  // Not before: a pass whose status was refused is repeated, and comes upon the same failures again.
  remember();
  // Only now: whoever lost the finalizer may be gone before the next look.
  for (const pod of after.pods.filter((each) => mayGo(after, plan, each))) await releasePod(context, pod);
  if (error) throw error;
  return plan.againInMs === undefined ? undefined : { afterMs: plan.againInMs };
}

/** Its end is listed in the status, or nobody wants to know of it. */
function mayGo({ job, tally }: JobPicture, { ending }: JobPlan, pod: Stored<Pod>): boolean {
  if (!isTracked(pod)) return false;
  const { uid } = pod.metadata;
  const isListed = [...tally.uncounted.succeeded, ...tally.uncounted.failed].includes(uid);
  const isUnwanted = job.metadata.deletionTimestamp !== undefined || ending?.isSuccess === true;
  const isNew = [...tally.newSucceeded, ...tally.newFailed].some(({ metadata }) => metadata.uid === uid);
  const hasEnded = isFinished(pod) || isFailed(job, pod);
  return isListed || isNew || (isUnwanted && (hasEnded || job.metadata.deletionTimestamp !== undefined));
}

function tell(events: EventRecorder, old: Stored<Job>, job: Stored<Job>): void {
  const finished = finishedCondition(job);
  const { reason = "", message = "" } = finished ?? {};
  if (finished?.type === "Complete") {
    events.record(job, { type: "Normal", reason: "Completed", message: "Job completed" });
  } else if (finished) {
    events.record(job, { type: "Warning", reason, message });
  }
  const told = job.status?.conditions?.find(({ type }) => type === "Suspended");
  const isNew = told && told.status !== old.status?.conditions?.find(({ type }) => type === "Suspended")?.status;
  if (!isNew) return;
  const words = told.status === "True" ? "Suspended" : "Resumed";
  events.record(job, { type: "Normal", reason: words, message: told.message ?? "" });
}

/** A Job that ended goes when its time to live is over, and its pods before it. */
async function removeWhenOld(context: ControllerContext, job: Stored<Job>): Promise<Again | undefined> {
  const { ttlSecondsAfterFinished } = job.spec ?? {};
  if (ttlSecondsAfterFinished === undefined || job.metadata.deletionTimestamp) return undefined;
  const endedMs = parseTime(finishedCondition(job)?.lastTransitionTime) ?? 0;
  const afterMs = endedMs + ttlSecondsAfterFinished * 1000 - context.clock.now();
  if (afterMs > 0) return { afterMs };
  await new SeenWrites(context, resources.jobs).delete(job, { propagationPolicy: "Foreground" });
  return undefined;
}
