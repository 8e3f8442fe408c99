import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { ContainerRecord } from "../container-record.ts";
import { initContainers, isInitialized, isOver, mainContainers, type PodView } from "../plan.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

/** The pod's phase. What is over stays over; a pod that is to go is over when nothing of it runs any more. */
export function podPhase(pod: Pod, view: PodView): PodPhase {
  const before = pod.status?.phase;
  if (before === "Succeeded" || before === "Failed") return before;
  const records = mainContainers(pod).flatMap(({ name }) => view.containers.get(name) ?? []);
  const isRunning = records.some(({ state }) => state.kind === "running");
  if (view.isGoing && !isRunning && records.some(hasEnded)) return outcome(records);
  if (isOver(pod, view)) return isInitFailure(pod, view) ? "Failed" : outcome(records);
  if (initContainers(pod).some((container) => !hasInitialized(container, view))) return "Pending";
  // A container that has run before and waits for its next run does not make the pod pending again.
  return records.every(({ state, last }) => state.kind !== "waiting" || last !== undefined) ? "Running" : "Pending";
}

function outcome(records: readonly ContainerRecord[]): PodPhase {
  return records.every(({ state }) => state.kind === "terminated" && state.termination.exitCode === 0)
    ? "Succeeded"
    : "Failed";
}

function hasEnded({ state }: ContainerRecord): boolean {
  return state.kind === "terminated";
}

function isInitFailure(pod: Pod, view: PodView): boolean {
  return initContainers(pod).some((container) => {
    const state = view.containers.get(container.name)?.state;
    return state?.kind === "terminated" && state.termination.exitCode !== 0;
  });
}

function hasInitialized(container: Parameters<typeof isInitialized>[0], view: PodView): boolean {
  const record = view.containers.get(container.name);
  // A side container counts once it has been up, even while it is being restarted.
  return isInitialized(container, view) || (container.restartPolicy === "Always" && record?.last !== undefined);
}
