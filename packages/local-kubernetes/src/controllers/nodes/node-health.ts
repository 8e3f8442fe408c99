import type { Node, NodeCondition, Taint } from "kubernetes-types/core/v1.d.ts";

/** The conditions that the kubelet reports; without a kubelet they are unknown. */
const TOLD_BY_KUBELET = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** Which taint a condition of a node stands for, by its status. */
const TAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: "node.kubernetes.io/memory-pressure" },
  DiskPressure: { True: "node.kubernetes.io/disk-pressure" },
  PIDPressure: { True: "node.kubernetes.io/pid-pressure" },
  NetworkUnavailable: { True: "node.kubernetes.io/network-unavailable" },
};
const OURS = new Set([...Object.values(TAINTS).flatMap((each) => Object.values(each)), UNSCHEDULABLE]);

export function readiness({ status }: Node): string | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** The conditions of a node that is no longer heard of. */
export function conditionsOfSilentNode({ metadata, status }: Node, now: string): NodeCondition[] {
  const before = status?.conditions ?? [];
  const silent = TOLD_BY_KUBELET.map((type): NodeCondition => {
    const last = before.find((condition) => condition.type === type);
    const told = { type, status: "Unknown", lastTransitionTime: now };
    if (!last) {
      const never = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
      return { ...told, ...never, lastHeartbeatTime: metadata?.creationTimestamp ?? now };
    }
    if (last.status === "Unknown") return last;
    return { ...last, ...told, reason: "NodeStatusUnknown", message: "Kubelet stopped posting node status." };
  });
  return [...silent, ...before.filter(({ type }) => !TOLD_BY_KUBELET.includes(type))];
}

/**
 * The taints that a node should have: what others put there, and what follows from its state. Pods are evicted from a
 * node that is away only while another one is there: when all are, it is rather we who cannot see.
 */
export function wantedTaints(node: Node, isAnyReady: boolean, now: string): Taint[] {
  const before = node.spec?.taints ?? [];
  // Its health is not reported yet: what admission gave it stays.
  const ready = readiness(node);
  if (ready === undefined) return before;
  const keys = (node.status?.conditions ?? []).flatMap(({ type, status }) => TAINTS[type]?.[status] ?? []);
  const wanted: Taint[] = [...keys, ...(node.spec?.unschedulable ? [UNSCHEDULABLE] : [])].map((key) => {
    return { key, effect: "NoSchedule" };
  });
  const evicting = isAnyReady ? TAINTS.Ready?.[ready] : undefined;
  if (evicting !== undefined) wanted.push({ key: evicting, effect: "NoExecute" });
  const kept = before.filter((taint) => !isOurs(taint) || wanted.some((it) => isSame(it, taint)));
  const added = wanted.filter((taint) => !before.some((it) => isSame(it, taint)));
  return [...kept, ...added.map((taint) => ({ ...taint, timeAdded: now }))];
}

function isOurs({ key, effect }: Taint): boolean {
  if (effect === "NoExecute") return key === NOT_READY || key === UNREACHABLE;
  return effect === "NoSchedule" && OURS.has(key);
}

function isSame(one: Taint, other: Taint): boolean {
  return one.key === other.key && one.effect === other.effect;
}
