import type {
  ContainerState as ApiContainerState,
  Container,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
} from "kubernetes-types/core/v1.d.ts";
import type { ContainerRecord, Termination } from "../container-record.ts";
import { initContainers, isRestarted } from "../plan.ts";
import { apiTime } from "./api-time.ts";

/** A container's part of the pod's status. */
export function containerStatus(pod: Pod, container: Container, record: ContainerRecord, now: number): ContainerStatus {
  const isInit = initContainers(pod).includes(container);
  const { state } = record;
  const last =
    isBackingOff(pod, container, record, now) && state.kind === "terminated" ? state.termination : record.last;
  const isDone = isInit && state.kind === "terminated" && state.termination.exitCode === 0;
  return {
    name: container.name,
    image: record.hasRun ? record.image : (container.image ?? ""),
    imageID: record.imageId,
    ...(record.containerId !== "" && { containerID: record.containerId }),
    ready: isDone || (state.kind === "running" && record.isReady),
    started: state.kind === "running" && record.isStarted,
    restartCount: record.restartCount,
    state: stateOf(pod, container, record, now),
    lastState: last ? { terminated: terminatedState(last) } : {},
  };
}

function stateOf(pod: Pod, container: Container, record: ContainerRecord, now: number): ApiContainerState {
  const { state } = record;
  if (state.kind === "running") return { running: { startedAt: apiTime(state.startedAt) } };
  if (state.kind === "terminated") {
    if (!isBackingOff(pod, container, record, now)) return { terminated: terminatedState(state.termination) };
    return { waiting: { reason: "CrashLoopBackOff", message: crashLoopMessage(pod, container, record.backOffMs) } };
  }
  const reason = state.reason ?? (initContainers(pod).length > 0 ? "PodInitializing" : "ContainerCreating");
  return { waiting: { reason, ...(state.message !== undefined && { message: state.message }) } };
}

/** The container has ended, will be restarted, and not yet. */
function isBackingOff(pod: Pod, container: Container, { state, dueAt }: ContainerRecord, now: number): boolean {
  // Without a time it waits for its image.
  const isLater = dueAt > now && Number.isFinite(dueAt);
  return state.kind === "terminated" && isLater && isRestarted(pod, container, state.termination);
}

export function crashLoopMessage({ metadata }: Pod, { name }: Container, backOffMs: number): string {
  const seconds = Math.round(backOffMs / 1000);
  const span = seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
  return `back-off ${span} restarting failed container=${name} pod=${metadata?.name}_${metadata?.namespace}(${metadata?.uid})`;
}

function terminatedState(termination: Termination): ContainerStateTerminated {
  const { exitCode, reason, message, startedAt, finishedAt, containerId } = termination;
  return {
    exitCode,
    reason,
    ...(message !== undefined && { message }),
    startedAt: apiTime(startedAt),
    finishedAt: apiTime(finishedAt),
    ...(containerId !== "" && { containerID: containerId }),
  };
}
