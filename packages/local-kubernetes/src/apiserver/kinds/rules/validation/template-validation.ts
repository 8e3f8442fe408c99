import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { selects } from "../../../../label-selector.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../../../crd/cause.ts";
import { isObject, type JsonObject, objectIn, textIn } from "../../../kube-object.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../../meta/names.ts";
import { podSpecCauses } from "./pod-validation.ts";
import { selectorCauses } from "./selector-validation.ts";

/** What is wrong with the selector of something whose pods never end, and with the template that it has to fit. */
export function servingTemplateCauses(spec: JsonObject): Cause[] {
  const template = objectIn(spec, "template");
  const pod = objectIn(template, "spec");
  const isDone = pod.restartPolicy !== undefined && pod.restartPolicy !== "Always";
  return [
    ...fittingCauses(spec),
    ...templateMetadataCauses(template, "spec.template"),
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
  const { selector } = spec;
  // What is not there finds nothing.
  if (!isObject(selector)) return [required("spec.selector"), unfit(spec)];
  const causes = selectorCauses(selector, "spec.selector");
  if (causes.length > 0) return [...causes, invalid("spec.selector", selector, "invalid label selector")];
  if (isEmpty(selector)) return [invalid("spec.selector", selector, "empty selector is invalid for deployment")];
  return unfitCauses(spec);
}

/** A template whose pods its own selector would not find. */
export function unfitCauses(spec: JsonObject): Cause[] {
  const labels = objectIn(spec, "template", "metadata").labels as Readonly<Record<string, string>> | undefined;
  return selects(objectIn(spec, "selector") as LabelSelector, labels) ? [] : [unfit(spec)];
}

function unfit(spec: JsonObject): Cause {
  const { labels = null } = objectIn(spec, "template", "metadata");
  return invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`");
}

/** What is wrong with the labels and annotations of a template. */
export function templateMetadataCauses(template: JsonObject, path: string): Cause[] {
  const { labels, annotations } = objectIn(template, "metadata");
  const keys = (of: unknown, field: string) =>
    Object.keys(isObject(of) ? of : {}).flatMap((key) =>
      qualifiedNameErrors(key).map((error) => invalid(`${path}.${field}`, key, error)),
    );
  const values = Object.values(isObject(labels) ? labels : {}).flatMap((value) =>
    labelValueErrors(String(value)).map((error) => invalid(`${path}.labels`, value, error)),
  );
  return [...keys(labels, "labels"), ...values, ...keys(annotations, "annotations")];
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
