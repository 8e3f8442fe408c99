import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { antiAffinityObstacle } from "./anti-affinity.ts";
import { selectorObstacle } from "./node-affinity.ts";
import { resourcesObstacle } from "./node-resources.ts";
import { type Obstacle, podsOn, type Scene } from "./scene.ts";
import { taintObstacle } from "./taints.ts";

export type Placement = { readonly node: string } | { readonly unschedulable: string };

const obstacles: readonly Obstacle[] = [taintObstacle, selectorObstacle, resourcesObstacle, antiAffinityObstacle];

/** The node that a pod shall run on: of those that suit, the one with the fewest pods. */
export function placement(pod: Stored<Pod>, scene: Scene): Placement {
  if (scene.nodes.length === 0) return { unschedulable: "no nodes available to schedule pods" };
  const judged = scene.nodes.map((node) => ({ node, why: obstacleOn(pod, node, scene) }));
  const suited = judged.filter(({ why }) => why === undefined).map(({ node }) => node.metadata.name);
  const [best] = suited.sort((one, other) => podsOn(one, scene).length - podsOn(other, scene).length);
  if (best !== undefined) return { node: best };
  return { unschedulable: complaint(judged.map(({ why }) => why ?? "")) };
}

function obstacleOn(pod: Stored<Pod>, node: Stored<Node>, scene: Scene): string | undefined {
  for (const obstacle of obstacles) {
    const why = obstacle(pod, node, scene);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** As kube-scheduler words it: `kubectl describe` and those who look for its text see the same. */
function complaint(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const said = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  const available = `0/${reasons.length} nodes are available`;
  return `${available}: ${said.join(", ")}. preemption: ${available}: ${onPreemption(reasons).join(", ")}.`;
}

/** Nobody is ever evicted for another here, but kube-scheduler would say whether that could have helped. */
function onPreemption(reasons: readonly string[]): string[] {
  const couldHelp = reasons.filter((reason) => /^Insufficient|^Too many|anti-affinity/.test(reason)).length;
  const cannot = reasons.length - couldHelp;
  return [
    ...(couldHelp > 0 ? [`${couldHelp} No preemption victims found for incoming pod`] : []),
    ...(cannot > 0 ? [`${cannot} Preemption is not helpful for scheduling`] : []),
  ];
}
