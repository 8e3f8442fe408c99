import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { quantityValue } from "../../quantity.ts";
import { type Obstacle, podsOn } from "./scene.ts";

const COUNTED = ["cpu", "memory"] as const;

/** Whether a node has left what a pod requests. */
export const resourcesObstacle: Obstacle = (pod, node, scene) => {
  const { allocatable } = node.status ?? {};
  if (!allocatable) return undefined;
  const others = podsOn(node.metadata.name, scene).filter((it) => it.metadata.uid !== pod.metadata.uid);
  if (allocatable.pods !== undefined && others.length >= quantityValue(allocatable.pods)) return "Too many pods";
  const scarce = COUNTED.find((resource) => {
    const wanted = requested(pod, resource);
    const used = others.reduce((sum, other) => sum + requested(other, resource), 0);
    return wanted > 0 && allocatable[resource] !== undefined && used + wanted > quantityValue(allocatable[resource]);
  });
  return scarce && `Insufficient ${scarce}`;
};

/** Init containers run before the others and one after another: only the largest of them counts. */
function requested({ spec }: Pod, resource: string): number {
  const of = (container: NonNullable<Pod["spec"]>["containers"][number]) =>
    quantityValue(container.resources?.requests?.[resource]);
  const together = (spec?.containers ?? []).reduce((sum, container) => sum + of(container), 0);
  return Math.max(together, ...(spec?.initContainers ?? []).map(of));
}
