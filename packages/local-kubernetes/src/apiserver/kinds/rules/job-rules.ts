import { type JsonObject, type KubeObject, objectIn } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { cronJobCauses } from "./validation/cron-job-validation.ts";
import { jobCauses, jobUpdateCauses } from "./validation/job-validation.ts";
import { portWarnings } from "./validation/port-warnings.ts";
import { templateDefaults } from "./workload-rules.ts";

export const jobRules: KindRules = {
  applyDefaults(job) {
    jobSpecDefaults(inside(job, "spec"));
    const labels = objectIn(job, "spec", "template", "metadata", "labels");
    // A Job without labels is found by those of its pods.
    if (Object.keys(job.metadata.labels ?? {}).length > 0 || Object.keys(labels).length === 0) return;
    job.metadata.labels = { ...labels } as Record<string, string>;
  },

  prepareCreate(job) {
    fill(job, { status: {} });
    const spec = inside(job, "spec");
    if (spec.manualSelector !== true) selectOwnPods(job, spec);
  },

  validate: (job, old) => [...jobCauses(job), ...(old ? jobUpdateCauses(job, old) : [])],

  warnings: (job, old) =>
    job.metadata.generation === old?.metadata.generation
      ? []
      : portWarnings(objectIn(job, "spec", "template", "spec"), "spec.template.spec"),
};

export const cronJobRules: KindRules = {
  applyDefaults(cronJob) {
    const spec = inside(cronJob, "spec");
    fill(spec, {
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    const template = inside(spec, "jobTemplate");
    fill(template, { metadata: {} });
    templateDefaults(inside(template, "spec"));
  },

  prepareCreate: (cronJob) => fill(cronJob, { status: {} }),

  validate: (cronJob, old) => cronJobCauses(cronJob, old === undefined),
};

function jobSpecDefaults(spec: JsonObject): void {
  if (spec.completions === undefined && spec.parallelism === undefined) fill(spec, { completions: 1 });
  fill(spec, { parallelism: 1, backoffLimit: 6, completionMode: "NonIndexed", suspend: false, manualSelector: false });
  fill(spec, { podReplacementPolicy: spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed" });
  templateDefaults(spec);
}

function selectOwnPods(job: KubeObject, spec: JsonObject): void {
  const { uid = "", name = "" } = job.metadata;
  const labels = { "batch.kubernetes.io/controller-uid": uid };
  fill(inside(inside(spec, "selector"), "matchLabels"), labels);
  const metadata = inside(inside(spec, "template"), "metadata");
  fill(inside(metadata, "labels"), {
    ...labels,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  });
  fill(job.metadata, { labels: { ...objectIn(metadata, "labels") } });
}
