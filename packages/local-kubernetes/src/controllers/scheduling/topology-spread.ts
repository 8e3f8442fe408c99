import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Node, Pod, TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { selects } from "../../label-selector.ts";
import { suits } from "./node-affinity.ts";
import { withKeysOf } from "./pod-terms.ts";
import { crowdedOut, type Obstacle, type Preference, podsOn, refused, type Scene } from "./scene.ts";
import { isTolerated } from "./taints.ts";

const UNEVEN = "node(s) didn't match pod topology spread constraints";

/** Constraints that must hold: no part of the cluster may have too many more of these pods than another. */
export const spreadObstacle: Obstacle = (pod, node, scene) => {
  const constraints = constraintsOf(pod, "DoNotSchedule");
  if (constraints.some(({ topologyKey }) => node.metadata.labels?.[topologyKey] === undefined))
    return refused(`${UNEVEN} (missing required label)`);
  for (const constraint of constraints) {
    const { topologyKey, maxSkew, minDomains = 1 } = constraint;
    const counts = countsBy(constraint, constraints, pod, scene);
    const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const here = counts.get(node.metadata.labels?.[topologyKey] ?? "") ?? 0;
    const self = isMeant(constraint, pod, pod) ? 1 : 0;
    if (here + self - (Number.isFinite(fewest) ? fewest : 0) > maxSkew) return crowdedOut(UNEVEN);
  }
  return undefined;
};

/** Constraints that are wishes; and pods of one owner apart, where nothing is said. */
export const spreadPreference: Preference = (pod, nodes, scene) => {
  const asked = constraintsOf(pod, "ScheduleAnyway");
  const constraints = asked.length === 0 && constraintsOf(pod, "DoNotSchedule").length === 0 ? USUAL : asked;
  if (constraints.length === 0) return nodes.map(() => 0);
  const counted = constraints.map((constraint) => ({ constraint, counts: countsBy(constraint, asked, pod, scene) }));
  const crowds = nodes.map(({ metadata }) =>
    counted.reduce((sum, { constraint: { topologyKey, maxSkew }, counts }) => {
      const here = counts.get(metadata.labels?.[topologyKey] ?? "") ?? 0;
      return sum + here * Math.log(counts.size + 2) + (maxSkew - 1);
    }, 0),
  );
  const [least, most] = [Math.min(...crowds), Math.max(...crowds)];
  return crowds.map((crowd) => (most === 0 ? 100 : (100 * (most + least - crowd)) / most));
};

/** As kube-scheduler has them by default. */
const USUAL: readonly TopologySpreadConstraint[] = [
  { topologyKey: "kubernetes.io/hostname", maxSkew: 3, whenUnsatisfiable: "ScheduleAnyway" },
  { topologyKey: "topology.kubernetes.io/zone", maxSkew: 5, whenUnsatisfiable: "ScheduleAnyway" },
];

function constraintsOf({ spec }: Pod, whenUnsatisfiable: string): TopologySpreadConstraint[] {
  return (spec?.topologySpreadConstraints ?? []).filter((it) => it.whenUnsatisfiable === whenUnsatisfiable);
}

/** How many of the pods that a constraint means are in each part of the cluster that the pod could be in. */
function countsBy(
  constraint: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
  pod: Stored<Pod>,
  scene: Scene,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const node of scene.nodes) {
    const value = node.metadata.labels?.[constraint.topologyKey];
    const hasAllKeys = all.every(({ topologyKey }) => node.metadata.labels?.[topologyKey] !== undefined);
    if (value === undefined || !hasAllKeys || !isEligible(constraint, pod, node)) continue;
    const meant = podsOn(node.metadata.name, scene).filter(
      (other) =>
        other.metadata.uid !== pod.metadata.uid && !other.metadata.deletionTimestamp && isMeant(constraint, pod, other),
    );
    counts.set(value, (counts.get(value) ?? 0) + meant.length);
  }
  return counts;
}

function isEligible(constraint: TopologySpreadConstraint, pod: Stored<Pod>, node: Stored<Node>): boolean {
  const { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" } = constraint;
  if (nodeAffinityPolicy === "Honor" && !suits(pod, node)) return false;
  const isKept = ({ effect }: { effect: string }) => effect !== "PreferNoSchedule";
  return (
    nodeTaintsPolicy === "Ignore" ||
    (node.spec?.taints ?? []).filter(isKept).every((taint) => isTolerated(taint, pod.spec?.tolerations))
  );
}

function isMeant(constraint: TopologySpreadConstraint, pod: Stored<Pod>, other: Stored<Pod>): boolean {
  if (other.metadata.namespace !== pod.metadata.namespace) return false;
  // kube-scheduler takes the selectors of Services and controllers here; the owner of both pods is nearly the same.
  if (USUAL.includes(constraint)) return ownerOf(pod) !== undefined && ownerOf(pod) === ownerOf(other);
  return selects(withKeysOf(pod, constraint), other.metadata.labels);
}

function ownerOf({ metadata }: Stored<Pod>): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}
