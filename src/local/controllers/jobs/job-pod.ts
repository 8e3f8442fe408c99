import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Container, Pod, PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { podFromTemplate } from "../workloads/pod-from-template.ts";
import { COMPLETION_INDEX, TRACKING_FINALIZER } from "./job-names.ts";

/** A pod of a Job; one with an index knows it by annotation, label, host name and environment. */
export function jobPod(job: Stored<Job>, index: number | undefined): Pod {
  const tracked = trackedTemplate(job.spec?.template ?? {});
  if (index === undefined) return podFromTemplate(tracked, job);
  const generateName = `${job.metadata.name}-${index}-`;
  return podFromTemplate(indexedTemplate(tracked, job, index), job, generateName);
}

function trackedTemplate(template: PodTemplateSpec): PodTemplateSpec {
  const finalizers = new Set([...(template.metadata?.finalizers ?? []), TRACKING_FINALIZER]);
  return { ...template, metadata: { ...template.metadata, finalizers: [...finalizers] } };
}

function indexedTemplate({ metadata, spec }: PodTemplateSpec, job: Stored<Job>, index: number): PodTemplateSpec {
  const mark = { [COMPLETION_INDEX]: String(index) };
  return {
    metadata: {
      ...metadata,
      annotations: { ...metadata?.annotations, ...mark },
      labels: { ...metadata?.labels, ...mark },
    },
    ...(spec && {
      spec: {
        ...spec,
        hostname: `${job.metadata.name}-${index}`,
        containers: spec.containers.map(knowingIndex),
        ...(spec.initContainers && { initContainers: spec.initContainers.map(knowingIndex) }),
      },
    }),
  };
}

function knowingIndex(container: Container): Container {
  const name = "JOB_COMPLETION_INDEX";
  if (container.env?.some((variable) => variable.name === name)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  return { ...container, env: [...(container.env ?? []), { name, valueFrom }] };
}
