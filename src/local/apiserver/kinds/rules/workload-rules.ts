import { type Cause, invalid } from "../../crd/cause.ts";
import { type JsonObject, listIn, objectIn, sameJson } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { negativeCauses } from "./number-validation.ts";
import { podSpecDefaults } from "./pod-spec-defaults.ts";
import { portWarnings } from "./port-warnings.ts";
import { daemonSetCauses, statefulSetCauses, statefulSetUpdateCauses } from "./set-validation.ts";
import { strategyCauses } from "./strategy-validation.ts";
import { type Serving, servingTemplateCauses } from "./template-validation.ts";

export const deploymentRules: KindRules = {
  ...workload(
    { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
    (spec) => {
      const strategy = inside(spec, "strategy");
      fill(strategy, { type: "RollingUpdate" });
      if (strategy.type === "RollingUpdate")
        fill(inside(strategy, "rollingUpdate"), { maxUnavailable: "25%", maxSurge: "25%" });
    },
    deploymentCauses,
    { noun: "deployment", kind: "ReplicaSet" },
  ),
  prepareCreate: (object) => fill(object, { status: {} }),
};

export const replicaSetRules: KindRules = {
  ...workload({ replicas: 1 }, () => {}, sizeCauses, { noun: "deployment", kind: "ReplicaSet" }),
  prepareCreate: (object) => fill(object, { status: { replicas: 0 } }),
};

const statefulSet = workload(
  { podManagementPolicy: "OrderedReady", replicas: 1, revisionHistoryLimit: 10 },
  (spec) => {
    const strategy = inside(spec, "updateStrategy");
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(inside(strategy, "rollingUpdate"), { partition: 0 });
    fill(inside(spec, "persistentVolumeClaimRetentionPolicy"), { whenDeleted: "Retain", whenScaled: "Retain" });
    for (const claim of listIn(spec, "volumeClaimTemplates")) {
      fill(claim, { apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } });
      fill(inside(claim, "spec"), { volumeMode: "Filesystem" });
    }
  },
  statefulSetCauses,
  { noun: "statefulset", kind: "StatefulSet" },
);

export const statefulSetRules: KindRules = {
  ...statefulSet,
  prepareCreate: (object) => fill(object, { status: { replicas: 0, availableReplicas: 0 } }),
  validate: (object, old) => [
    ...(statefulSet.validate?.(object) ?? []),
    ...(old ? statefulSetUpdateCauses(object, old) : []),
  ],
};

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

const daemonSet = workload(
  { revisionHistoryLimit: 10 },
  (spec) => {
    const strategy = inside(spec, "updateStrategy");
    fill(strategy, { type: "RollingUpdate" });
    if (strategy.type === "RollingUpdate") fill(inside(strategy, "rollingUpdate"), { maxUnavailable: 1, maxSurge: 0 });
  },
  daemonSetCauses,
  { noun: "daemonset", kind: "DaemonSet" },
);

export const daemonSetRules: KindRules = {
  ...daemonSet,
  applyDefaults(object) {
    daemonSet.applyDefaults?.(object);
    object.metadata.annotations = { [TEMPLATE_GENERATION]: "0", ...object.metadata.annotations };
  },
  prepareCreate(object) {
    const counts = ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"];
    fill(object, { status: Object.fromEntries(counts.map((count) => [count, 0])) });
    object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: "1" };
  },
  prepareUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION]) || 0;
    const isSame = sameJson(objectIn(object, "spec").template, objectIn(old, "spec").template);
    const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(isSame ? before : before + 1) };
    object.metadata.annotations = annotations;
  },
};

function workload(
  defaults: JsonObject,
  more: (spec: JsonObject) => void,
  causesOf: (spec: JsonObject) => Cause[],
  serving: Serving,
): KindRules {
  return {
    applyDefaults(object) {
      const spec = inside(object, "spec");
      fill(spec, defaults);
      more(spec);
      templateDefaults(spec);
    },
    validate: (object, old) => [
      ...causesOf(objectIn(object, "spec")),
      ...servingTemplateCauses(objectIn(object, "spec"), serving),
      ...(old && !sameJson(objectIn(object, "spec").selector, objectIn(old, "spec").selector)
        ? [invalid("spec.selector", objectIn(object, "spec").selector, "field is immutable")]
        : []),
    ],
    warnings: (object, old) =>
      object.metadata.generation === old?.metadata.generation
        ? []
        : portWarnings(objectIn(object, "spec", "template", "spec"), "spec.template.spec"),
  };
}

export function templateDefaults(spec: JsonObject): void {
  const template = inside(spec, "template");
  fill(template, { metadata: {} });
  podSpecDefaults(inside(template, "spec"));
}

function sizeCauses(spec: JsonObject): Cause[] {
  return negativeCauses(spec, "spec", ["replicas", "minReadySeconds"]);
}

function deploymentCauses(spec: JsonObject): Cause[] {
  const { progressDeadlineSeconds, minReadySeconds = 0 } = spec;
  const isTooShort = typeof progressDeadlineSeconds === "number" && progressDeadlineSeconds <= Number(minReadySeconds);
  return [
    ...negativeCauses(spec, "spec", ["replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"]),
    ...(isTooShort
      ? [invalid("spec.progressDeadlineSeconds", progressDeadlineSeconds, "must be greater than minReadySeconds")]
      : []),
    ...strategyCauses(spec),
  ];
}
