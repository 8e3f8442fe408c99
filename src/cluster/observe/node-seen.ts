import type { Node, Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { NodeSeen } from "../observation.ts";

/** Whether a node could take a member, by what can be told of it without the scheduler. */
export function nodeSeen({ metadata, spec, status }: Node, { pod }: EtcdCluster["spec"]): NodeSeen {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  const labels = metadata?.labels ?? {};
  const isSelected = Object.entries(pod?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const barring = (spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  const isTolerated = barring.every((taint) => (pod?.tolerations ?? []).some((each) => tolerates(each, taint)));
  return { name: metadata?.name ?? "", isUsable: isReady && !spec?.unschedulable && isSelected && isTolerated };
}

function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (operator === "Exists") return !key || key === taint.key;
  return key === taint.key && value === (taint.value ?? "");
}
