import type { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, parseTime, resources, rfc3339 } from "@etcd-operator/kubernetes-client";
import { Cron } from "croner";
import type { CronJob, Job } from "kubernetes-types/batch/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { Again } from "../work-queue.ts";
import { controllerReference, ownedBy } from "./owned.ts";
import { endOf } from "./plan-job.ts";
import { startWorkload, writeStatus } from "./start-workload.ts";

/** A timer that fires a little early would find nothing due. */
const MARGIN_MS = 100;

/** Starts a Job whenever a CronJob's schedule says so, and removes old ones. */
export function startCronJobs(context: ControllerContext): void {
  const { cronJobs: informer, jobs: owned } = context.informers;
  const work = (cronJob: Stored<CronJob>, client: TrackedClient) => reconcile(context, client, cronJob);
  startWorkload(context, { name: "cron jobs", kind: "CronJob", informer, owned, work });
}

async function reconcile(
  { informers, clock, signal }: ControllerContext,
  client: TrackedClient,
  cronJob: Stored<CronJob>,
): Promise<Again | undefined> {
  const jobs = ownedBy(cronJob, informers.jobs);
  for (const job of outdatedJobs(cronJob, jobs)) {
    await client.delete(resources.jobs, job, { propagationPolicy: "Background", signal });
  }
  const active = jobs.filter((job) => !endOf(job));
  const { dueMs, nextMs } = timesOf(cronJob, clock.now());
  const isHeld = cronJob.spec?.concurrencyPolicy === "Forbid" && active.length > 0;
  const startMs = isHeld ? undefined : dueMs;
  if (startMs !== undefined) await start(client, cronJob, startMs, signal);
  const status = {
    ...cronJob.status,
    active: active.map(({ apiVersion, kind, metadata: { namespace = "", name, uid } }) => {
      return { apiVersion, kind, namespace, name, uid };
    }),
    ...(startMs !== undefined && { lastScheduleTime: rfc3339(startMs) }),
  };
  await writeStatus(client, resources.cronJobs, cronJob, status, signal);
  return nextMs === undefined ? undefined : { afterMs: nextMs + MARGIN_MS - clock.now() };
}

/** The last moment that has come since a Job was started, and the next one. */
export function timesOf(
  { metadata, spec, status }: Stored<CronJob>,
  nowMs: number,
): { readonly dueMs?: number | undefined; readonly nextMs?: number | undefined } {
  if (!spec || spec.suspend || spec.schedule.startsWith("@every")) return {};
  // Here a question mark is another word for "any"; croner would take it for the moment at which it is read.
  const pattern = spec.schedule.replaceAll("?", "*");
  const cron = new Cron(pattern, { paused: true, mode: "5-part", timezone: spec.timeZone ?? "UTC" });
  // What falls on this very second counts as come.
  const [last] = cron.previousRuns(1, new Date(nowMs + 1000));
  const sinceMs = parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp) ?? 0;
  const isDue = last !== undefined && last.getTime() > sinceMs;
  return { dueMs: isDue ? last.getTime() : undefined, nextMs: cron.nextRun(new Date(nowMs))?.getTime() };
}

/** One name for each moment, so that no moment ever has two Jobs. */
async function start(
  client: TrackedClient,
  cronJob: Stored<CronJob>,
  startMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { metadata: { labels = {}, annotations = {} } = {}, spec } = cronJob.spec?.jobTemplate ?? {};
  const metadata = {
    name: `${cronJob.metadata.name}-${Math.floor(startMs / 60_000)}`,
    namespace: cronJob.metadata.namespace ?? "",
    labels,
    annotations,
    ownerReferences: [controllerReference(cronJob)],
  };
  try {
    await client.create(resources.jobs, { metadata, ...(spec && { spec }) }, { signal });
  } catch (error) {
    // Started before a status could be written.
    if (!hasCode(error, "already-exists")) throw error;
  }
}

/** Of the Jobs that ended, the oldest beyond the limits. */
function outdatedJobs({ spec }: CronJob, jobs: readonly Stored<Job>[]): Stored<Job>[] {
  const startOf = ({ status }: Job) => parseTime(status?.startTime) ?? 0;
  const beyond = (type: string, limit = Number.POSITIVE_INFINITY) =>
    jobs
      .filter((job) => endOf(job)?.type === type && !job.metadata.deletionTimestamp)
      .sort((a, b) => startOf(b) - startOf(a))
      .slice(limit);
  return [...beyond("Complete", spec?.successfulJobsHistoryLimit), ...beyond("Failed", spec?.failedJobsHistoryLimit)];
}
