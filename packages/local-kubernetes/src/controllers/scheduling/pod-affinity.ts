import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import { concerns, termsOf } from "./pod-terms.ts";
import { crowdedOut, nodesAlike, type Obstacle, type Preference, podsOnAny, refused, type Scene } from "./scene.ts";

/** Required affinity and anti-affinity between pods; the latter binds whichever of two comes second. */
export const neighboursObstacle: Obstacle = (pod, node, scene) => {
  if (!hasWhomItNeeds(pod, node, scene)) return refused("node(s) didn't match pod affinity rules");
  const isBanned = termsOf(pod).bans.some((term) =>
    othersNear(pod, node, term.topologyKey, scene).some((other) => concerns(term, pod, other, scene)),
  );
  if (isBanned) return crowdedOut("node(s) didn't match pod anti-affinity rules");
  const isUnwanted = othersNear(pod, undefined, "", scene).some((other) =>
    termsOf(other).bans.some(
      (term) => concerns(term, other, pod, scene) && othersNear(pod, node, term.topologyKey, scene).includes(other),
    ),
  );
  return isUnwanted ? crowdedOut("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
};

/** Nodes near pods that are liked and far from those that are not, by either side. */
export const neighboursPreference: Preference = (pod, nodes, scene) => {
  const sums = nodes.map((node) => sympathy(pod, node, scene));
  const [least, most] = [Math.min(...sums), Math.max(...sums)];
  return sums.map((sum) => (most === least ? 0 : (100 * (sum - least)) / (most - least)));
};

function hasWhomItNeeds(pod: Stored<Pod>, node: Stored<Node>, scene: Scene): boolean {
  const { needs } = termsOf(pod);
  if (needs.some(({ topologyKey }) => node.metadata.labels?.[topologyKey] === undefined)) return false;
  const isNeeded = (other: Stored<Pod>) => needs.every((term) => concerns(term, pod, other, scene));
  const near = needs.every(({ topologyKey }) => othersNear(pod, node, topologyKey, scene).some(isNeeded));
  // The first of those who need each other has to be somewhere.
  return near || (isNeeded(pod) && !othersNear(pod, undefined, "", scene).some(isNeeded));
}

function sympathy(pod: Stored<Pod>, node: Stored<Node>, scene: Scene): number {
  const own = termsOf(pod);
  let sum = 0;
  for (const [terms, sign] of [[own.likes, 1] as const, [own.dislikes, -1] as const]) {
    for (const { weight, podAffinityTerm: term } of terms) {
      const near = othersNear(pod, node, term.topologyKey, scene);
      sum += sign * weight * near.filter((other) => concerns(term, pod, other, scene)).length;
    }
  }
  for (const other of othersNear(pod, undefined, "", scene)) {
    const { needs, likes, dislikes } = termsOf(other);
    const theirs = [
      ...needs.map((term) => ({ term, weight: 1 })),
      ...likes.map(({ weight, podAffinityTerm: term }) => ({ term, weight })),
      ...dislikes.map(({ weight, podAffinityTerm: term }) => ({ term, weight: -weight })),
    ];
    for (const { term, weight } of theirs) {
      const isNear = othersNear(pod, node, term.topologyKey, scene).includes(other);
      if (isNear && concerns(term, other, pod, scene)) sum += weight;
    }
  }
  return sum;
}

/** The other pods in the part of the cluster that a node is in; without a node in all of it. */
function othersNear(
  pod: Stored<Pod>,
  node: Stored<Node> | undefined,
  topologyKey: string,
  scene: Scene,
): Stored<Pod>[] {
  const nodes = node ? nodesAlike(node, topologyKey, scene.nodes) : scene.nodes;
  return podsOnAny(nodes, scene).filter(({ metadata }) => metadata.uid !== pod.metadata.uid);
}
