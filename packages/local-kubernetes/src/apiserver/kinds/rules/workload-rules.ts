import { type Cause, invalid } from "../../crd/cause.ts";
import { type JsonObject, objectIn, sameJson } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { podSpecDefaults } from "./pod-spec-defaults.ts";
import { negativeCauses } from "./validation/number-validation.ts";
import { portWarnings } from "./validation/port-warnings.ts";
import { strategyCauses } from "./validation/strategy-validation.ts";
import { servingTemplateCauses } from "./validation/template-validation.ts";

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
  ),
  prepareCreate: (object) => fill(object, { status: {} }),
};

export const replicaSetRules: KindRules = {
  ...workload({ replicas: 1 }, () => {}, sizeCauses),
  prepareCreate: (object) => fill(object, { status: { replicas: 0 } }),
};

function workload(
  defaults: JsonObject,
  more: (spec: JsonObject) => void,
  causesOf: (spec: JsonObject) => Cause[],
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
      ...servingTemplateCauses(objectIn(object, "spec")),
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
