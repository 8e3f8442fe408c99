import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { selects } from "../../label-selector.ts";
import type { Scene } from "./scene.ts";

/** What a pod says about the neighbours it must have, would like, must not have, and would rather not. */
export interface PodTerms {
  readonly needs: readonly PodAffinityTerm[];
  readonly likes: readonly WeightedPodAffinityTerm[];
  readonly bans: readonly PodAffinityTerm[];
  readonly dislikes: readonly WeightedPodAffinityTerm[];
}

export function termsOf({ spec }: Pod): PodTerms {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return {
    needs: podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    likes: podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    bans: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    dislikes: podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
  };
}

/** Whether a term of one pod is about another. */
export function concerns(
  term: PodAffinityTerm,
  from: Stored<Pod>,
  other: Stored<Pod>,
  { namespaces = [] }: Pick<Scene, "namespaces">,
): boolean {
  const named = term.namespaces ?? [];
  const isOwn = named.length === 0 && !term.namespaceSelector && other.metadata.namespace === from.metadata.namespace;
  const labels = () => namespaces.find(({ metadata }) => metadata.name === other.metadata.namespace)?.metadata.labels;
  const isInNamespace =
    isOwn ||
    named.includes(other.metadata.namespace ?? "") ||
    (term.namespaceSelector !== undefined && selects(term.namespaceSelector, labels()));
  return isInNamespace && selects(withKeysOf(from, term), other.metadata.labels);
}

interface Keyed {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** A selector that also asks for the pod's own values of some labels, or for others. */
export function withKeysOf(
  { metadata }: Stored<Pod>,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: Keyed,
): LabelSelector | undefined {
  if (!labelSelector) return undefined;
  const own = (keys: readonly string[], operator: string) =>
    keys.flatMap((key) => {
      const value = metadata.labels?.[key];
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...own(matchLabelKeys, "In"), ...own(mismatchLabelKeys, "NotIn")];
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}
