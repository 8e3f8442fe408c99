import type { Node, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { isFinished } from "../pod-facts.ts";

/** What the scheduler looks at. */
export interface Scene {
  readonly nodes: readonly Stored<Node>[];
  /** All pods, with the node that was chosen for them even where the API server has not told us of it yet. */
  readonly pods: readonly Stored<Pod>[];
}

/** Why a pod cannot run on a node, in the words of kube-scheduler; undefined when it can. */
export type Obstacle = (pod: Stored<Pod>, node: Stored<Node>, scene: Scene) => string | undefined;

/** The pods that take up a node, those that are going included. */
export function podsOn(node: string, { pods }: Scene): Stored<Pod>[] {
  return pods.filter((pod) => pod.spec?.nodeName === node && !isFinished(pod));
}
