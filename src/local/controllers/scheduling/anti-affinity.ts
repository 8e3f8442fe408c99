import type { Node, Pod, PodAffinityTerm } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { selects } from "../label-selector.ts";
import { type Obstacle, podsOn } from "./scene.ts";

/** Required anti-affinity between pods, which binds whichever of two comes second. */
export const antiAffinityObstacle: Obstacle = (pod, node, scene) => {
  const near = (topologyKey: string) =>
    nodesAlike(node, topologyKey, scene.nodes)
      .flatMap(({ metadata }) => podsOn(metadata.name, scene))
      .filter((other) => other.metadata.uid !== pod.metadata.uid);

  if (termsOf(pod).some((term) => near(term.topologyKey).some((other) => concerns(term, pod, other)))) {
    return "node(s) didn't match pod anti-affinity rules";
  }
  const everywhere = scene.nodes.flatMap(({ metadata }) => podsOn(metadata.name, scene));
  const isUnwanted = everywhere.some((other) =>
    termsOf(other).some((term) => concerns(term, other, pod) && near(term.topologyKey).includes(other)),
  );
  return isUnwanted ? "node(s) didn't satisfy existing pods anti-affinity rules" : undefined;
};

function termsOf({ spec }: Pod): PodAffinityTerm[] {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function concerns(term: PodAffinityTerm, from: Stored<Pod>, other: Stored<Pod>): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [from.metadata.namespace];
  return namespaces.includes(other.metadata.namespace) && selects(term.labelSelector, other.metadata.labels);
}

function nodesAlike(node: Stored<Node>, topologyKey: string, nodes: readonly Stored<Node>[]): Stored<Node>[] {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? [] : nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] === value);
}
