import type { CronJob, Job } from "kubernetes-types/batch/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { rfc3339 } from "../../../kubernetes/kube-time.ts";
import { controllerReference } from "../workloads/ownership.ts";

const SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/** One name for each moment, so that no moment ever has two Jobs. */
export function jobName({ metadata }: Stored<CronJob>, scheduledMs: number): string {
  return `${metadata.name}-${Math.floor(scheduledMs / 60_000)}`;
}

/** The Job of a CronJob for one moment. */
export function scheduledJob(cronJob: Stored<CronJob>, scheduledMs: number): Job {
  const { jobTemplate, timeZone } = cronJob.spec ?? {};
  const { labels, annotations } = jobTemplate?.metadata ?? {};
  return {
    metadata: {
      name: jobName(cronJob, scheduledMs),
      namespace: cronJob.metadata.namespace ?? "",
      ...(labels && { labels }),
      annotations: { ...annotations, [SCHEDULED_AT]: timeIn(timeZone ?? "UTC", scheduledMs) },
      ownerReferences: [controllerReference(cronJob)],
    },
    ...(jobTemplate?.spec && { spec: jobTemplate.spec }),
  };
}

/** Such as "2030-01-01T09:00:00+09:00". */
function timeIn(timeZone: string, ms: number): string {
  const format = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
  const name = format.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign = "+", hours = "00", minutes = "00"] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
  if (offset === 0) return rfc3339(ms);
  return rfc3339(ms + offset * 60_000).replace("Z", `${sign}${hours}:${minutes}`);
}
