import type { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import type { Again } from "../work-queue.ts";
import { createPods, ownedBy } from "./owned.ts";
import { endOf, planJob } from "./plan-job.ts";
import { startWorkload, writeStatus } from "./start-workload.ts";

/** Runs the pods of every Job until enough of them have succeeded, or too many failed. */
export function startJobs(context: ControllerContext): void {
  const { jobs: informer, pods: owned } = context.informers;
  const work = (job: Stored<Job>, client: TrackedClient) => reconcile(context, client, job);
  startWorkload(context, { name: "jobs", kind: "Job", informer, owned, work });
}

async function reconcile(
  context: ControllerContext,
  client: TrackedClient,
  job: Stored<Job>,
): Promise<Again | undefined> {
  if (endOf(job)) return undefined;
  const { informers, clock, signal } = context;
  const { status, toDelete, toCreate, againInMs } = planJob(job, ownedBy(job, informers.pods), clock.now());
  for (const pod of toDelete) await client.delete(resources.pods, pod, { signal });
  await writeStatus(client, resources.jobs, job, status, signal);
  await createPods(context, client, job, job.spec?.template ?? {}, toCreate);
  return againInMs === undefined ? undefined : { afterMs: againInMs };
}
