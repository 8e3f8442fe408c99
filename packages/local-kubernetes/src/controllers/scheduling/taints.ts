import type { Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import { type Obstacle, type Preference, refused } from "./scene.ts";

const UNSCHEDULABLE: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** A node that was cordoned. */
export const cordonObstacle: Obstacle = ({ spec }, node) =>
  node.spec?.unschedulable && !isTolerated(UNSCHEDULABLE, spec?.tolerations)
    ? refused("node(s) were unschedulable")
    : undefined;

/** Taints that keep pods away. */
export const taintObstacle: Obstacle = ({ spec }, node) => {
  const taint = node.spec?.taints?.find(
    ({ effect, ...rest }) => effect !== "PreferNoSchedule" && !isTolerated({ effect, ...rest }, spec?.tolerations),
  );
  return taint && refused("node(s) had untolerated taint(s)");
};

/** Nodes with few taints that advise against a pod, rather than those with many. */
export const taintPreference: Preference = ({ spec }, nodes) => {
  const counts = nodes.map(
    (node) =>
      (node.spec?.taints ?? []).filter(
        (taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, spec?.tolerations),
      ).length,
  );
  const most = Math.max(...counts);
  return counts.map((count) => (most === 0 ? 100 : 100 - (100 * count) / most));
};

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] = []): boolean {
  return tolerations.some((toleration) => tolerates(toleration, taint));
}

export function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (!key) return operator === "Exists";
  return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
}
