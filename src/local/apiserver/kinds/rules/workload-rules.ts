import { type Cause, invalid, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, sameJson } from "../../kube-object.ts";
import { matchesSelector } from "../../meta/object-selector.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { podSpecDefaults } from "./pod-spec-defaults.ts";
import { podSpecCauses } from "./pod-validation.ts";

export const deploymentRules: KindRules = {
  ...workload({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }, (spec) => {
    const strategy = inside(spec, "strategy");
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate")
      fill(inside(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
  }),
  prepareCreate: (object) => fill(object, { status: {} }),
};

export const replicaSetRules: KindRules = {
  ...workload({ replicas: 1 }),
  prepareCreate: (object) => fill(object, { status: { replicas: 0 } }),
};

export const statefulSetRules: KindRules = {
  ...workload({ podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 }, (spec) => {
    const strategy = inside(spec, "updateStrategy");
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(inside(strategy, "rollingUpdate"), { partition: 0 });
    fill(inside(spec, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    for (const claim of listIn(spec, "volumeClaimTemplates")) {
      fill(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
      fill(inside(claim, "spec"), { volumeMode: "Filesystem" });
    }
  }),
  prepareCreate: (object) => fill(object, { status: { replicas: 0, availableReplicas: 0 } }),
};

export const daemonSetRules: KindRules = {
  ...workload({ revisionHistoryLimit: 10 }, (spec) => {
    const strategy = inside(spec, "updateStrategy");
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(inside(strategy, "rollingUpdate"), { maxUnavailable: 1, maxSurge: 0 });
  }),
  prepareCreate(object) {
    const counts = ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"];
    fill(object, { status: Object.fromEntries(counts.map((count) => [count, 0])) });
  },
};

function workload(defaults: JsonObject, more: (spec: JsonObject) => void = () => {}): KindRules {
  return {
    applyDefaults(object) {
      const spec = inside(object, "spec");
      fill(spec, defaults);
      more(spec);
      templateDefaults(spec);
    },
    validate: (object, old) => [
      ...templateCauses(objectIn(object, "spec")),
      ...(old && !sameJson(objectIn(object, "spec").selector, objectIn(old, "spec").selector)
        ? [invalid("spec.selector", objectIn(object, "spec").selector, "field is immutable")]
        : []),
    ],
  };
}

export function templateDefaults(spec: JsonObject): void {
  const template = inside(spec, "template");
  fill(template, { metadata: {} });
  podSpecDefaults(inside(template, "spec"));
}

function templateCauses(spec: JsonObject): Cause[] {
  const template = objectIn(spec, "template");
  const { labels = {} } = objectIn(template, "metadata") as Partial<KubeObject["metadata"]>;
  const specCauses = podSpecCauses(objectIn(template, "spec"), "spec.template.spec");
  if (spec.selector === undefined) return [required("spec.selector"), ...specCauses];
  if (matchesSelector(objectIn(spec, "selector"), labels)) return specCauses;
  const mismatch = invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
  return [mismatch, ...specCauses];
}
