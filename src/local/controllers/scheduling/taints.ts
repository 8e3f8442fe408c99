import type { Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { Obstacle } from "./scene.ts";

/** A node that is not ready counts as tainted, as the node controller of a real cluster would have it. */
export const taintObstacle: Obstacle = ({ spec }, node) => {
  const tolerations = spec?.tolerations ?? [];
  const taints = [...(node.spec?.taints ?? []), ...impliedTaints(node)];
  if (node.spec?.unschedulable && !tolerates(tolerations, UNSCHEDULABLE)) return "node(s) were unschedulable";
  const taint = taints.find((it) => it.effect !== "PreferNoSchedule" && !tolerates(tolerations, it));
  return taint && `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ""}}`;
};

const UNSCHEDULABLE: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

function impliedTaints({ status }: Parameters<Obstacle>[1]): Taint[] {
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready")?.status;
  return ready === "True" ? [] : [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }];
}

function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(({ key, operator = "Equal", value = "", effect }) => {
    if (effect && effect !== taint.effect) return false;
    if (!key) return operator === "Exists";
    return key === taint.key && (operator === "Exists" || value === (taint.value ?? ""));
  });
}
