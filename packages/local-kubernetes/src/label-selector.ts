import { meetsRequirement } from "@etcd-operator/kubernetes-client";
import type { LabelSelector, LabelSelectorRequirement } from "kubernetes-types/meta/v1.d.ts";

type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels fit a selector; an empty selector fits all, an absent one none. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  return (
    hasLabels(labels, selector.matchLabels ?? {}) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(labels, requirement))
  );
}

export function hasLabels(labels: Labels, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
}

/** One requirement of a label or node selector. */
export function meets(labels: Labels, requirement: LabelSelectorRequirement): boolean {
  const { key } = requirement;
  return meetsRequirement(labels && Object.hasOwn(labels, key) ? labels[key] : undefined, requirement);
}
