import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import { affinityPreference, selectorObstacle, volumeObstacle } from "./node-affinity.ts";
import { resourcesObstacle, roomPreference } from "./node-resources.ts";
import { neighboursObstacle, neighboursPreference } from "./pod-affinity.ts";
import { type Obstacle, type Preference, podsOn, type Refusal, type Scene } from "./scene.ts";
import { cordonObstacle, taintObstacle, taintPreference } from "./taints.ts";
import { spreadObstacle, spreadPreference } from "./topology-spread.ts";

export type Placement = { readonly node: string } | { readonly unschedulable: string };

// In the order of kube-scheduler: of several reasons against a node the first is told.
const obstacles: readonly Obstacle[] = [
  cordonObstacle,
  taintObstacle,
  selectorObstacle,
  resourcesObstacle,
  volumeObstacle,
  spreadObstacle,
  neighboursObstacle,
];

const preferences: readonly { readonly weight: number; readonly of: Preference }[] = [
  { weight: 3, of: taintPreference },
  { weight: 2, of: affinityPreference },
  { weight: 2, of: spreadPreference },
  { weight: 2, of: neighboursPreference },
  { weight: 1, of: roomPreference },
];

/** The node that a pod shall run on: of those that suit, the one that most speaks for. */
export function placement(pod: Stored<Pod>, scene: Scene): Placement {
  if (scene.nodes.length === 0) return { unschedulable: "no nodes available to schedule pods" };
  const judged = scene.nodes.map((node) => ({ node, why: obstacleOn(pod, node, scene) }));
  const suited = judged.filter(({ why }) => why === undefined).map(({ node }) => node);
  const best = preferred(pod, suited, scene);
  if (best !== undefined) return { node: best };
  return { unschedulable: complaint(judged.flatMap(({ why }) => why ?? [])) };
}

/** What is said of a pod that no node was looked at for. */
export function refusedEverywhere(reason: string, nodes: number): string {
  const available = `0/${nodes} nodes are available`;
  return `${available}: ${reason}. preemption: ${available}: ${nodes} Preemption is not helpful for scheduling.`;
}

function obstacleOn(pod: Stored<Pod>, node: Stored<Node>, scene: Scene): Refusal | undefined {
  for (const obstacle of obstacles) {
    const why = obstacle(pod, node, scene);
    if (why !== undefined) return why;
  }
  return undefined;
}

function preferred(pod: Stored<Pod>, nodes: readonly Stored<Node>[], scene: Scene): string | undefined {
  const scores = preferences.map(({ weight, of }) => of(pod, nodes, scene).map((score) => weight * score));
  const ranked = nodes.map(({ metadata: { name } }, index) => ({
    name,
    score: scores.reduce((sum, each) => sum + (each[index] ?? 0), 0),
    pods: podsOn(name, scene).length,
  }));
  // Among equals kube-scheduler throws a die.
  ranked.sort((one, other) => other.score - one.score || one.pods - other.pods || one.name.localeCompare(other.name));
  return ranked[0]?.name;
}

/** As kube-scheduler words it: `kubectl describe` and those who look for its text see the same. */
function complaint(refusals: readonly Refusal[]): string {
  const counts = new Map<string, number>();
  for (const reason of refusals.flatMap(({ reasons }) => reasons)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const said = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  const available = `0/${refusals.length} nodes are available`;
  return `${available}: ${said.join(", ")}. preemption: ${available}: ${onPreemption(refusals).join(", ")}.`;
}

/** No pod is ever preempted here, but kube-scheduler would report whether that could have helped. */
function onPreemption(refusals: readonly Refusal[]): string[] {
  const couldHelp = refusals.filter(({ isResolvable }) => isResolvable).length;
  const cannot = refusals.length - couldHelp;
  return [
    ...(couldHelp > 0 ? [`${couldHelp} No preemption victims found for incoming pod`] : []),
    ...(cannot > 0 ? [`${cannot} Preemption is not helpful for scheduling`] : []),
  ];
}
