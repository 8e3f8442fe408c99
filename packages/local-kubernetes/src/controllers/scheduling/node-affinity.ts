import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Node, NodeSelectorTerm, Pod } from "kubernetes-types/core/v1.d.ts";
import { hasLabels, meets } from "../../label-selector.ts";
import { type Obstacle, type Preference, refused } from "./scene.ts";

/** The node selector and the required node affinity of a pod. */
export const selectorObstacle: Obstacle = (pod, node) =>
  suits(pod, node) ? undefined : refused("node(s) didn't match Pod's node affinity/selector");

/** A volume that stays where it is keeps its pods there. */
export const volumeObstacle: Obstacle = (_, node, { volumes = [] }) => {
  const isReached = volumes.every(({ spec }) => {
    const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms;
    return !terms || terms.some((term) => fits(node, term));
  });
  return isReached ? undefined : refused("node(s) didn't match PersistentVolume's node affinity");
};

/** Nodes that a pod would rather have. */
export const affinityPreference: Preference = ({ spec }, nodes) => {
  const terms = spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const sums = nodes.map((node) =>
    terms.filter(({ preference }) => fits(node, preference)).reduce((sum, { weight }) => sum + weight, 0),
  );
  const most = Math.max(...sums);
  return sums.map((sum) => (most === 0 ? 0 : (100 * sum) / most));
};

/** Whether a pod's own wishes allow a node. */
export function suits({ spec }: Pod, node: Stored<Node>): boolean {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return (
    hasLabels(node.metadata.labels, spec?.nodeSelector ?? {}) && (!terms || terms.some((term) => fits(node, term)))
  );
}

function fits({ metadata }: Stored<Node>, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  // A term that says nothing suits no node.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => meets(metadata.labels, requirement)) &&
    matchFields.every((requirement) => meets({ "metadata.name": metadata.name }, requirement))
  );
}
