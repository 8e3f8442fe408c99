import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { keyOf, type Stored } from "../../../kubernetes/kube-object.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";
import { controllerOf } from "../workloads/ownership.ts";
import { recorderOf } from "../workloads/recorder-of.ts";
import { watchOwned } from "../workloads/watch-owned.ts";
import { finishedCondition } from "./job-conditions.ts";
import { isTracked } from "./pod-tally.ts";
import { type Backoffs, reconcileJob } from "./reconcile-job.ts";
import { releaseOrphan } from "./release-pods.ts";

/** Runs the pods of every Job until enough of them have succeeded, or too many failed. */
export function startJobs(context: ControllerContext): void {
  const { informers, clock, signal, log } = context;
  const events = recorderOf(context, "job-controller");
  const backoffs: Backoffs = new Map();
  const work = (key: string) => reconcileJob(context, events, backoffs, key);
  const queue = new WorkQueue({ name: "jobs", signal, log, clock, work });
  const orphans = new WorkQueue({
    name: "pods of jobs",
    signal,
    log,
    clock,
    work: (key) => releaseOrphan(context, key),
  });
  const wake = (key: string) => queue.add(key);
  watchOwned({ owners: informers.jobs, ownerKind: "Job", objects: informers.pods, wake });
  informers.jobs.onChange((change) => {
    if (change.type === "synced") return;
    const { object } = change;
    wake(keyOf(object.metadata));
    if (change.type !== "deleted" && !finishedCondition(object)) return;
    for (const pod of informers.pods.cache.list(object.metadata.namespace)) {
      if (controllerOf(pod)?.uid === object.metadata.uid) tend(pod);
    }
  });
  informers.pods.onChange((change) => {
    if (change.type === "added" || change.type === "modified") tend(change.object);
  });

  /** A pod that is kept for counting: is there still somebody who counts? */
  function tend(pod: Stored<Pod>): void {
    if (!isTracked(pod)) return;
    const owner = controllerOf(pod);
    const { namespace } = pod.metadata;
    const job = owner?.kind === "Job" ? informers.jobs.cache.get({ namespace, name: owner.name }) : undefined;
    const isCounted = job !== undefined && job.metadata.uid === owner?.uid && !finishedCondition(job);
    if (!isCounted) orphans.add(keyOf(pod.metadata));
  }
}
