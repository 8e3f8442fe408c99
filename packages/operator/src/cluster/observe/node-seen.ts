import { meetsRequirement } from "@etcd-operator/kubernetes-client";
import type { Node, NodeSelectorTerm, Taint, Toleration } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { NodeSeen } from "../model/observation.ts";
import { ZONE } from "../objects/pod/placement.ts";

/** Whether a node could take a member, as far as that is known without the scheduler. */
export function nodeSeen({ metadata, spec, status }: Node, { pod }: EtcdCluster["spec"]): NodeSeen {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  const [name, labels] = [metadata?.name ?? "", metadata?.labels ?? {}];
  const isSelected = Object.entries(pod?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const terms = pod?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const isAccepted = !terms || terms.some((term) => fits({ name, labels }, term));
  const barring = (spec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  const isTolerated = barring.every((taint) => (pod?.tolerations ?? []).some((each) => tolerates(each, taint)));
  const isUsable = isReady && !spec?.unschedulable && isSelected && isAccepted && isTolerated;
  const zone = labels[ZONE];
  return { name, isUsable, ...(zone && { zone }) };
}

/** An operator that is not known fits no node, so that no member moves because of it. */
function fits(
  { name, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
): boolean {
  // A term that says nothing suits no node.
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((asked) => meetsRequirement(labels[asked.key], asked)) &&
    matchFields.every((asked) => meetsRequirement(asked.key === "metadata.name" ? name : undefined, asked))
  );
}

function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (operator === "Exists") return !key || key === taint.key;
  return key === taint.key && value === (taint.value ?? "");
}
