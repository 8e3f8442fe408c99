import type { Container, Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { type ContainerRecord, newRecord } from "../container-record.ts";
import { initContainers, mainContainers, type PodView } from "../plan.ts";
import { apiTime } from "./api-time.ts";
import { podConditions } from "./conditions.ts";
import { containerStatus } from "./container-status.ts";
import { podPhase } from "./phase.ts";

export interface PodFacts {
  readonly podIp: string | undefined;
  readonly hostIp: string;
  /** When this kubelet first saw the pod. */
  readonly seenAt: number;
  readonly now: number;
}

/** The whole status of a pod: what the kubelet knows now, and what others wrote. */
export function podStatus(pod: Pod, view: PodView, { podIp, hostIp, seenAt, now }: PodFacts): PodStatus {
  const { podIP: _, podIPs: __, ...before } = pod.status ?? {};
  const phase = podPhase(pod, view);
  const statusOf = (container: Container) => containerStatus(pod, container, recordOf(container, view), now);
  const inits = initContainers(pod);
  const generation = pod.metadata?.generation;
  return {
    ...before,
    ...(generation !== undefined && { observedGeneration: generation }),
    phase,
    conditions: podConditions(pod, view, phase, now),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp !== undefined && { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: before.startTime ?? apiTime(seenAt),
    ...(inits.length > 0 && { initContainerStatuses: inits.map(statusOf) }),
    containerStatuses: mainContainers(pod).map(statusOf),
  };
}

function recordOf({ name, image }: Container, { containers }: PodView): ContainerRecord {
  return containers.get(name) ?? newRecord(name, image ?? "");
}
