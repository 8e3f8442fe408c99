import { isDeepStrictEqual } from "node:util";
import type { CronJob, CronJobStatus, Job } from "kubernetes-types/batch/v1.d.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import { keyOf, refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { messageOf } from "../workloads/create-pods.ts";
import { nonZero } from "../workloads/non-zero.ts";
import { controllerOf } from "../workloads/ownership.ts";
import { recorderOf } from "../workloads/recorder-of.ts";
import { SeenWrites } from "../workloads/seen-writes.ts";
import { planCronJob } from "./plan-cron-job.ts";
import { scheduledJob } from "./scheduled-job.ts";

/** Starts a Job whenever a CronJob's schedule says so, and removes old ones. */
export function startCronJobs(context: ControllerContext): void {
  const { informers, clock, signal, log } = context;
  const events = recorderOf(context, "cronjob-controller");
  const work = (key: string) => reconcile(context, events, key);
  const queue = new WorkQueue({ name: "cron jobs", signal, log, clock, work });
  const wake = (key: string) => queue.add(key);
  informers.cronJobs.onChange((change) => {
    if (change.type === "added" || change.type === "modified") wake(keyOf(change.object.metadata));
  });
  informers.jobs.onChange((change) => {
    const owner = change.type === "synced" ? undefined : controllerOf(change.object);
    if (change.type === "synced" || owner?.kind !== "CronJob") return;
    wake(keyOf({ namespace: change.object.metadata.namespace, name: owner.name }));
  });
}

async function reconcile(context: ControllerContext, events: EventRecorder, key: string): Promise<Again | undefined> {
  const { informers, clock, signal } = context;
  await Promise.all([informers.cronJobs, informers.jobs].map(({ cache }) => cache.waitForSync(signal)));
  const cronJob = informers.cronJobs.cache.get(refOf(key));
  if (!cronJob) return undefined;
  const jobs = informers.jobs.cache
    .list(cronJob.metadata.namespace)
    .filter((job) => controllerOf(job)?.uid === cronJob.metadata.uid);
  const plan = planCronJob(cronJob, jobs, clock.now());
  for (const event of plan.events) events.record(cronJob, event);
  for (const job of plan.toDelete) await deleteJob(context, events, cronJob, job);
  const active = (plan.status.active ?? []).filter(
    ({ uid }) => !plan.toDelete.some(({ metadata }) => metadata.uid === uid),
  );
  const status = { ...plan.status, active };
  const started = plan.startAtMs === undefined ? status : await start(context, events, cronJob, status, plan.startAtMs);
  const wanted = nonZero<CronJobStatus>(started);
  if (!isDeepStrictEqual(wanted, cronJob.status ?? {})) {
    await new SeenWrites(context, resources.cronJobs).updateStatus({ ...cronJob, status: wanted });
  }
  return plan.againInMs === undefined ? undefined : { afterMs: plan.againInMs };
}

async function deleteJob(
  context: ControllerContext,
  events: EventRecorder,
  cronJob: Stored<CronJob>,
  job: Stored<Job>,
): Promise<void> {
  await new SeenWrites(context, resources.jobs).delete(job, { propagationPolicy: "Background" });
  const message = `Deleted job ${job.metadata.name}`;
  events.record(cronJob, { type: "Normal", reason: "SuccessfulDelete", message });
}

/** Starts the Job of a moment. One that is there already was started before a status could be written. */
async function start(
  context: ControllerContext,
  events: EventRecorder,
  cronJob: Stored<CronJob>,
  status: CronJobStatus,
  scheduledMs: number,
): Promise<CronJobStatus> {
  const wanted = scheduledJob(cronJob, scheduledMs);
  const job = await created(context, events, cronJob, wanted);
  if (controllerOf(job)?.uid !== cronJob.metadata.uid) return status;
  const { apiVersion, kind, metadata } = job;
  const { name, namespace = "", uid, resourceVersion } = metadata;
  const reference = { apiVersion, kind, name, namespace, uid, resourceVersion };
  const others = (status.active ?? []).filter((each) => each.uid !== uid);
  return { ...status, active: [...others, reference], lastScheduleTime: rfc3339(scheduledMs) };
}

async function created(
  context: ControllerContext,
  events: EventRecorder,
  cronJob: Stored<CronJob>,
  wanted: Job,
): Promise<Stored<Job>> {
  try {
    const job = await new SeenWrites(context, resources.jobs).create(wanted);
    const message = `Created job ${job.metadata.name}`;
    events.record(cronJob, { type: "Normal", reason: "SuccessfulCreate", message });
    return job;
  } catch (error) {
    if (hasCode(error, "already-exists")) {
      const { namespace, name = "" } = wanted.metadata ?? {};
      return context.client.get(resources.jobs, { namespace, name }, { signal: context.signal });
    }
    const message = `Error creating job: ${messageOf(error)}`;
    events.record(cronJob, { type: "Warning", reason: "FailedCreate", message });
    throw error;
  }
}
