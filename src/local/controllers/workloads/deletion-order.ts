import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { parseTime } from "../../../kubernetes/kube-time.ts";
import { readySinceMs } from "../pod-facts.ts";

const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const PHASES = ["Pending", "Unknown", "Running"];

type Order = (a: Stored<Pod>, b: Stored<Pod>) => number;

/**
 * Pods in the order in which a scale-down takes them: what serves least goes first, then what is not alone on its node, then the
 * newest. `related` are the pods that count for "alone".
 */
export function inDeletionOrder(
  pods: readonly Stored<Pod>[],
  related: readonly Stored<Pod>[],
  nowMs: number,
): Stored<Pod>[] {
  const onNode = (node: string | undefined) => related.filter(({ spec }) => spec?.nodeName === node).length;
  const crowds = new Map(pods.map(({ spec }) => [spec?.nodeName, onNode(spec?.nodeName)]));
  const orders: readonly Order[] = [
    by(({ spec }) => (spec?.nodeName ? 1 : 0)),
    by(({ status }) => PHASES.indexOf(status?.phase ?? "Pending")),
    by((pod) => (readySinceMs(pod) === undefined ? 0 : 1)),
    by(deletionCost),
    by(({ spec }) => -(crowds.get(spec?.nodeName) ?? 0)),
    by((pod) => magnitude(readySinceMs(pod), nowMs)),
    by((pod) => -restarts(pod)),
    by(({ metadata }) => magnitude(parseTime(metadata.creationTimestamp), nowMs)),
    (a, b) => (a.metadata.uid < b.metadata.uid ? -1 : 1),
  ];
  return [...pods].sort((a, b) => {
    for (const order of orders) {
      const difference = order(a, b);
      if (difference !== 0) return difference;
    }
    return 0;
  });
}

function by(rank: (pod: Stored<Pod>) => number): Order {
  return (a, b) => rank(a) - rank(b);
}

function deletionCost({ metadata }: Stored<Pod>): number {
  const cost = Number(metadata.annotations?.[DELETION_COST] ?? 0);
  return Number.isInteger(cost) ? cost : 0;
}

/** Ages of the same order of magnitude count as equal, so that not always the newest node is emptied. */
function magnitude(sinceMs: number | undefined, nowMs: number): number {
  const ageNs = (nowMs - (sinceMs ?? nowMs)) * 1e6;
  return ageNs > 0 ? Math.floor(Math.log2(ageNs)) : -1;
}

function restarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}
