import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Namespace, Node, PersistentVolume, Pod } from "kubernetes-types/core/v1.d.ts";
import { isFinished } from "../pod-facts.ts";

/** What the scheduler looks at. */
export interface Scene {
  readonly nodes: readonly Stored<Node>[];
  /** All pods, with the node that was chosen for them even where the API server has not told us of it yet. */
  readonly pods: readonly Stored<Pod>[];
  /** For those who select pods by the labels of their namespaces. */
  readonly namespaces?: readonly Stored<Namespace>[];
  /** The volumes that the pod in question has already. */
  readonly volumes?: readonly Stored<PersistentVolume>[];
}

/** Why a pod cannot run on a node, in the words of kube-scheduler; undefined when it can. */
export type Obstacle = (pod: Stored<Pod>, node: Stored<Node>, scene: Scene) => Refusal | undefined;

export interface Refusal {
  readonly reasons: readonly string[];
  /** Whether it would help if other pods left the node. None is preempted here, but kube-scheduler reports it. */
  readonly isResolvable: boolean;
}

export function refused(reason: string): Refusal {
  return { reasons: [reason], isResolvable: false };
}

export function crowdedOut(...reasons: readonly string[]): Refusal {
  return { reasons, isResolvable: true };
}

/** What speaks for each of several nodes, from 0 to 100; in their order. */
export type Preference = (pod: Stored<Pod>, nodes: readonly Stored<Node>[], scene: Scene) => readonly number[];

/** The pods that take up a node, those that are going included. */
export function podsOn(node: string, { pods }: Pick<Scene, "pods">): readonly Stored<Pod>[] {
  let known = byNode.get(pods);
  if (!known) {
    known = new Map();
    for (const pod of pods) {
      const name = pod.spec?.nodeName ?? "";
      if (!isFinished(pod)) known.set(name, [...(known.get(name) ?? []), pod]);
    }
    byNode.set(pods, known);
  }
  return known.get(node) ?? [];
}

/** Every filter and every score asks again, for each node. */
const byNode = new WeakMap<readonly Stored<Pod>[], Map<string, Stored<Pod>[]>>();

/** All pods that are on one of the nodes. */
export function podsOnAny(nodes: readonly Stored<Node>[], scene: Pick<Scene, "pods">): Stored<Pod>[] {
  return nodes.flatMap(({ metadata }) => podsOn(metadata.name, scene));
}

/** The nodes that share a node's value of a label, itself included; none where it has no such label. */
export function nodesAlike(
  node: Stored<Node>,
  topologyKey: string,
  nodes: readonly Stored<Node>[],
): readonly Stored<Node>[] {
  const value = node.metadata.labels?.[topologyKey];
  return value === undefined ? [] : nodes.filter(({ metadata }) => metadata.labels?.[topologyKey] === value);
}
