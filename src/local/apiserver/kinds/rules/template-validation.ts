import { type Cause, forbidden, invalid, notSupported, required } from "../../crd/cause.ts";
import { isObject, type JsonObject, objectIn, textIn } from "../../kube-object.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../meta/names.ts";
import { matchesSelector } from "../../meta/object-selector.ts";
import { podSpecCauses } from "./pod-validation.ts";
import { selectorCauses } from "./selector-validation.ts";

/** What is wrong with the selector of something whose pods never end, and with the template that it has to fit. */
export function servingTemplateCauses(spec: JsonObject): Cause[] {
  const template = objectIn(spec, "template");
  const pod = objectIn(template, "spec");
  const isDone = pod.restartPolicy !== undefined && pod.restartPolicy !== "Always";
  return [
    ...fittingCauses(spec),
    ...templateLabelCauses(template),
    ...podSpecCauses(pod, "spec.template.spec"),
    ...(isDone ? [notSupported("spec.template.spec.restartPolicy", pod.restartPolicy, ["Always"])] : []),
    ...(pod.activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden("spec.template.spec.activeDeadlineSeconds", "activeDeadlineSeconds in ReplicaSet is not Supported"),
        ]),
  ];
}

function fittingCauses(spec: JsonObject): Cause[] {
  if (!isObject(spec.selector)) return [required("spec.selector")];
  const causes = selectorCauses(spec.selector, "spec.selector");
  if (causes.length > 0) return [...causes, invalid("spec.selector", spec.selector, "invalid label selector")];
  if (isEmpty(spec.selector))
    return [invalid("spec.selector", spec.selector, "empty selector is invalid for deployment")];
  return unfitCauses(spec);
}

/** A template whose pods its own selector would not find. */
export function unfitCauses(spec: JsonObject): Cause[] {
  const labels = objectIn(spec, "template", "metadata").labels;
  const fits = matchesSelector(objectIn(spec, "selector"), isObject(labels) ? (labels as Record<string, string>) : {});
  if (fits) return [];
  return [invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")];
}

export function templateLabelCauses(template: JsonObject): Cause[] {
  return Object.entries(objectIn(template, "metadata", "labels")).flatMap(([key, value]) => [
    ...qualifiedNameErrors(key).map((error) => invalid("spec.template.labels", key, error)),
    ...labelValueErrors(String(value)).map((error) => invalid("spec.template.labels", value, error)),
  ]);
}

/** Pods of work that comes to an end may not start over for ever. */
export function endingPodCauses(pod: JsonObject, path: string): Cause[] {
  const ends = ["OnFailure", "Never"].includes(textIn(pod, "restartPolicy"));
  const isKnown = pod.restartPolicy === undefined || pod.restartPolicy === "Always";
  if (ends) return [];
  return isKnown
    ? [required(`${path}.restartPolicy`, 'valid values: "OnFailure", "Never"')]
    : [notSupported(`${path}.restartPolicy`, pod.restartPolicy, ["OnFailure", "Never"])];
}

function isEmpty(selector: JsonObject): boolean {
  const { matchExpressions } = selector;
  const hasExpressions = Array.isArray(matchExpressions) && matchExpressions.length > 0;
  return Object.keys(objectIn(selector, "matchLabels")).length === 0 && !hasExpressions;
}
