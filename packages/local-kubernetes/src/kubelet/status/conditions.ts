import type { Container, Pod, PodCondition } from "kubernetes-types/core/v1.d.ts";
import { initContainers, isInitialized, isSidecar, mainContainers, type PodView } from "../plan.ts";
import { apiTime } from "./api-time.ts";
import type { PodPhase } from "./phase.ts";

interface Verdict {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason?: string;
  readonly message?: string;
}

/** The pod's conditions: the kubelet's own computed again, all others as they are. */
export function podConditions(pod: Pod, view: PodView, phase: PodPhase, now: number): PodCondition[] {
  const before = pod.status?.conditions ?? [];
  const containersReady = readyVerdict(pod, view, phase);
  const verdicts: readonly Verdict[] = [
    { type: "PodReadyToStartContainers", isTrue: view.isSetUp },
    initializedVerdict(pod, view, phase),
    { ...gatesVerdict(pod, containersReady), type: "Ready" },
    { ...containersReady, type: "ContainersReady" },
    // The scheduler's, except where a pod was made for this node from the beginning.
    ...(before.some(({ type }) => type === "PodScheduled") ? [] : [{ type: "PodScheduled", isTrue: true }]),
  ];
  const own = verdicts.map((verdict) => conditionOf(verdict, before, now));
  return [...own, ...before.filter(({ type }) => !own.some((condition) => condition.type === type))];
}

function conditionOf(
  { type, isTrue, reason, message }: Verdict,
  before: readonly PodCondition[],
  now: number,
): PodCondition {
  const status = isTrue ? "True" : "False";
  const last = before.find((condition) => condition.type === type);
  const since = last?.status === status ? last.lastTransitionTime : undefined;
  return {
    type,
    status,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    lastTransitionTime: since ?? apiTime(now),
    // Kubernetes' API server fills it in, with null; a difference would look like news every time.
    ...(last && "lastProbeTime" in last && { lastProbeTime: last.lastProbeTime }),
  };
}

function initializedVerdict(pod: Pod, view: PodView, phase: PodPhase): Verdict {
  const type = "Initialized";
  if (phase === "Succeeded") return { type, isTrue: true, reason: "PodCompleted" };
  const incomplete = initContainers(pod).filter((container) => !hasBeenInitialized(container, view));
  if (incomplete.length === 0) return { type, isTrue: true };
  const message = `containers with incomplete status: [${namesOf(incomplete)}]`;
  return { type, isTrue: false, reason: "ContainersNotInitialized", message };
}

function hasBeenInitialized(container: Container, view: PodView): boolean {
  const record = view.containers.get(container.name);
  return isInitialized(container, view) || (isSidecar(container) && record?.last !== undefined);
}

function readyVerdict(pod: Pod, view: PodView, phase: PodPhase): Verdict {
  const type = "ContainersReady";
  if (phase === "Succeeded") return { type, isTrue: false, reason: "PodCompleted" };
  if (phase === "Failed") return { type, isTrue: false, reason: "PodFailed" };
  const counted = [...initContainers(pod).filter(isSidecar), ...mainContainers(pod)];
  const unready = counted.filter(({ name }) => {
    const record = view.containers.get(name);
    return !(record?.state.kind === "running" && record.isReady);
  });
  if (unready.length === 0) return { type, isTrue: true };
  const message = `containers with unready status: [${namesOf(unready)}]`;
  return { type, isTrue: false, reason: "ContainersNotReady", message };
}

function gatesVerdict(pod: Pod, containersReady: Verdict): Verdict {
  if (!containersReady.isTrue) return containersReady;
  const messages = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (!gate) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    const isOpen = gate.status === "True";
    return isOpen ? [] : [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (messages.length === 0) return { type: "Ready", isTrue: true };
  return { type: "Ready", isTrue: false, reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

function namesOf(containers: readonly Container[]): string {
  return containers.map(({ name }) => name).join(" ");
}
