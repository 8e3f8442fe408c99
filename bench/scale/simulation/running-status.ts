import { createHash } from "node:crypto";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { type ContainerRecord, newRecord } from "@etcd-operator/local-kubernetes/kubelet/container-record.ts";
import { initContainers, mainContainers } from "@etcd-operator/local-kubernetes/kubelet/plan.ts";
import { podStatus } from "@etcd-operator/local-kubernetes/kubelet/status/pod-status.ts";
import type { Container, Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";

/**
 * The status of a pod whose init containers have done their work and whose others run and are ready, as a kubelet
 * writes it.
 */
export function runningStatus(pod: Stored<Pod>, podIp: string, nowMs: number): PodStatus {
  const seenAt = Date.parse(pod.metadata.creationTimestamp);
  const done = initContainers(pod).map((container) => completed(ran(pod, container), seenAt));
  const running = mainContainers(pod).map((container) => ready(ran(pod, container), seenAt));
  const containers = new Map([...done, ...running].map((record) => [record.name, record]));
  const view = { isSetUp: true, isGoing: false, containers };
  return podStatus(pod, view, { podIp, hostIp: "127.0.0.1", seenAt, now: nowMs });
}

function ran({ metadata }: Stored<Pod>, { name, image = "" }: Container): ContainerRecord {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex");
  return {
    ...newRecord(name, image),
    hasRun: true,
    imageId: `${image.split(":")[0]}@sha256:${digest(image)}`,
    containerId: `containerd://${digest(`${metadata.uid} ${name}`)}`,
  };
}

function completed(record: ContainerRecord, startedAt: number): ContainerRecord {
  const { containerId } = record;
  const termination = { exitCode: 0, reason: "Completed", startedAt, finishedAt: startedAt, containerId };
  return { ...record, state: { kind: "terminated", termination } };
}

function ready(record: ContainerRecord, startedAt: number): ContainerRecord {
  return { ...record, state: { kind: "running", startedAt }, isStarted: true, isReady: true };
}
