import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Container, Node, Pod } from "kubernetes-types/core/v1.d.ts";
import { quantityValue } from "../../quantity.ts";
import { type Obstacle, type Preference, podsOn, type Scene } from "./scene.ts";

const COUNTED = ["cpu", "memory", "ephemeral-storage"] as const;
/**
 * What a container counts for when nodes are compared and it requests nothing: else all of those would go to one node.
 */
const ASSUMED: Readonly<Record<string, number>> = { cpu: 0.1, memory: 200 * 1024 * 1024 };

/** Whether a node has left what a pod requests. */
export const resourcesObstacle: Obstacle = (pod, node, scene) => {
  const { allocatable } = node.status ?? {};
  if (!allocatable) return undefined;
  const others = othersOn(node, pod, scene);
  const isFull = allocatable.pods !== undefined && others.length >= quantityValue(allocatable.pods);
  const scarce = COUNTED.filter((resource) => {
    const wanted = requested(pod, resource);
    const used = sum(others, (other) => requested(other, resource));
    return wanted > 0 && allocatable[resource] !== undefined && used + wanted > quantityValue(allocatable[resource]);
  });
  const reasons = [...(isFull ? ["Too many pods"] : []), ...scarce.map((resource) => `Insufficient ${resource}`)];
  if (reasons.length === 0) return undefined;
  const isTooLarge = scarce.some((resource) => requested(pod, resource) > quantityValue(allocatable[resource]));
  return { reasons, isResolvable: !isTooLarge };
};

/** Nodes of which the smallest part is requested. */
export const roomPreference: Preference = (pod, nodes, scene) =>
  nodes.map((node) => {
    const shares = Object.entries(ASSUMED).flatMap(([resource, assumed]) => {
      const total = quantityValue(node.status?.allocatable?.[resource]);
      const pods = [...othersOn(node, pod, scene), pod];
      const used = sum(pods, (each) => requested(each, resource, assumed));
      return total > 0 ? [Math.max(0, 1 - used / total)] : [];
    });
    return shares.length === 0 ? 0 : (100 * sum(shares, (share) => share)) / shares.length;
  });

function othersOn(node: Stored<Node>, pod: Stored<Pod>, scene: Scene): readonly Stored<Pod>[] {
  return podsOn(node.metadata.name, scene).filter((it) => it.metadata.uid !== pod.metadata.uid);
}

/**
 * Init containers run before the others and one after another, so only the largest of them counts, together with the
 * side containers that run by then.
 */
function requested({ spec }: Pod, resource: string, assumed = 0): number {
  const of = ({ resources }: Container) =>
    resources?.requests?.[resource] === undefined ? assumed : quantityValue(resources.requests[resource]);
  let sidecars = 0;
  let largest = 0;
  for (const container of spec?.initContainers ?? []) {
    if (container.restartPolicy === "Always") sidecars += of(container);
    else largest = Math.max(largest, sidecars + of(container));
  }
  return Math.max(largest, sidecars + sum(spec?.containers ?? [], of)) + quantityValue(spec?.overhead?.[resource]);
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
