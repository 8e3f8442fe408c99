import type { Node, NodeSelectorTerm } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { hasLabels, meets } from "../label-selector.ts";
import type { Obstacle } from "./scene.ts";

/** The node selector and the required node affinity of a pod. */
export const selectorObstacle: Obstacle = ({ spec }, node) => {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const suits =
    hasLabels(node.metadata.labels, spec?.nodeSelector ?? {}) && (!terms || terms.some((term) => fits(node, term)));
  return suits ? undefined : "node(s) didn't match Pod's node affinity/selector";
};

function fits({ metadata }: Stored<Node>, { matchExpressions = [], matchFields = [] }: NodeSelectorTerm): boolean {
  // A term that says nothing suits no node.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => meets(metadata.labels, requirement)) &&
    matchFields.every((requirement) => meets({ "metadata.name": metadata.name }, requirement))
  );
}
