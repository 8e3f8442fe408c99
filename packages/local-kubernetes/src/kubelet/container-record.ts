import type { ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";

/** How a run of a container ended; times in milliseconds since 1970. */
export interface Termination {
  readonly exitCode: number;
  /** "Completed", "Error", … */
  readonly reason: string;
  readonly message?: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly containerId: string;
}

export type ContainerState =
  | { readonly kind: "waiting"; readonly reason?: string; readonly message?: string }
  | { readonly kind: "running"; readonly startedAt: number }
  | { readonly kind: "terminated"; readonly termination: Termination };

/** What the kubelet knows of one container of a pod. */
export interface ContainerRecord {
  readonly name: string;
  readonly state: ContainerState;
  /** How the run before this one ended. */
  readonly last?: Termination;
  readonly restartCount: number;
  /** Whether there has been a run at all, also before the kubelet was started. */
  readonly hasRun: boolean;
  /** The image of the current or last run, as the spec named it. */
  readonly image: string;
  readonly imageId: string;
  readonly containerId: string;
  /** The startup probe has succeeded, or there is none. */
  readonly isStarted: boolean;
  readonly isReady: boolean;
  /** Told to stop, and not yet gone. */
  readonly isStopping: boolean;
  /** Stopped for another image, so that it is started again whatever the restart policy says. */
  readonly isReplaced: boolean;
  /** Why the kubelet wants it restarted although it runs. */
  readonly ailment?: string;
  /** Not to be started before with `triedImage`, but at once with another; in milliseconds since 1970. */
  readonly dueAt: number;
  /** The image of the last attempt to start, which may not have come to a run. */
  readonly triedImage: string;
  /** The wait that `dueAt` stands for. */
  readonly backOffMs: number;
}

export function newRecord(name: string, image: string): ContainerRecord {
  return {
    ...{ name, image, imageId: "", containerId: "", state: { kind: "waiting" }, restartCount: 0, hasRun: false },
    ...{ isStarted: false, isReady: false, isStopping: false, isReplaced: false },
    ...{ dueAt: 0, triedImage: image, backOffMs: 0 },
  };
}

/**
 * After a run: who was stopped for a new image did not fail, and waits for nothing. Times in milliseconds since 1970.
 */
export function afterRun(
  { ailment, ...record }: ContainerRecord,
  how: Omit<Termination, "finishedAt" | "containerId">,
  { finishedAt, restartAt }: { readonly finishedAt: number; readonly restartAt: number },
): ContainerRecord {
  const dueAt = record.isStopping && ailment === undefined ? finishedAt : restartAt;
  const termination = { ...how, finishedAt, containerId: record.containerId };
  return {
    ...{ ...record, state: { kind: "terminated", termination }, dueAt, backOffMs: dueAt - finishedAt },
    ...{ isStopping: false, isStarted: false, isReady: false },
  };
}

/** From the beginning, as an init container does whose pod was set up again. */
export function startedOver(record: ContainerRecord): ContainerRecord {
  return { ...record, state: { kind: "waiting" }, dueAt: 0, ...lastOf(record) };
}

/** How the run ended that a container has behind it. */
export function lastOf({ state, last }: ContainerRecord): { readonly last?: Termination } {
  const ended = state.kind === "terminated" ? state.termination : last;
  return ended ? { last: ended } : {};
}

/** What is known of a pod's containers when the kubelet first sees it: nothing, or what its status says. */
export function restoredRecords({ spec, status }: Pod, now: number): ContainerRecord[] {
  const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name, image = "" }) => {
    const before = known.find((each) => each.name === name);
    return restoredRecord(newRecord(name, image), before, now);
  });
}

/**
 * What is known of a container after the kubelet was started again. Its processes died with the last kubelet, as they
 * do when a node reboots: what ran then ended in an unknown way, which containerd puts so, and begins a new run.
 */
export function restoredRecord(
  fresh: ContainerRecord,
  status: ContainerStatus | undefined,
  now: number,
): ContainerRecord {
  if (!status) return fresh;
  const { restartCount, image, imageID = "", containerID = "", state, lastState } = status;
  const hasRun = Boolean(containerID);
  const ran = hasRun ? { hasRun, image, imageId: imageID, containerId: containerID } : {};
  const known = { ...fresh, ...ran, restartCount };
  const ended = state?.terminated ?? lastState?.terminated;
  if (state?.running) {
    const startedAt = Date.parse(state.running.startedAt ?? "") || now;
    const termination = { exitCode: 255, reason: "Unknown", startedAt, finishedAt: now, containerId: containerID };
    return { ...known, state: { kind: "terminated", termination } };
  }
  if (!ended) return known;
  const termination: Termination = {
    exitCode: ended.exitCode,
    reason: ended.reason ?? "",
    ...(ended.message !== undefined && { message: ended.message }),
    startedAt: Date.parse(ended.startedAt ?? "") || now,
    finishedAt: Date.parse(ended.finishedAt ?? "") || now,
    containerId: ended.containerID ?? containerID,
  };
  return state?.terminated ? { ...known, state: { kind: "terminated", termination } } : { ...known, last: termination };
}
