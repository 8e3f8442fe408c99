import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import type { ContainerRecord, Termination } from "./container-record.ts";

/** What is to be done for a pod next; several steps may be taken together. */
export type PodStep =
  /** Volumes, namespaces and network. */
  | { readonly kind: "set-up" }
  | { readonly kind: "start"; readonly container: Container }
  | {
      readonly kind: "stop";
      readonly container: string;
      readonly message: string;
      /** It makes room for its next run with another image. */
      readonly isReplaced?: boolean;
    }
  /** The opposite of set-up; the volumes stay. */
  | { readonly kind: "tear-down" }
  /** Nothing of the pod runs any more, and it is to be deleted: its object can go. */
  | { readonly kind: "remove" };

export interface PodView {
  readonly isSetUp: boolean;
  /** The pod is to be deleted, or its object has vanished already. */
  readonly isGoing: boolean;
  readonly containers: ReadonlyMap<string, ContainerRecord>;
}

/** Decides the next steps for a pod; none when it is as it should be, or has to wait. */
export function planPod(pod: Pod, view: PodView, now: number): PodStep[] {
  if (view.isGoing) return ending(view, { kind: "remove" });
  if (isOver(pod, view)) return ending(view);
  if (!view.isSetUp) return [{ kind: "set-up" }];
  // While one of the others runs, all of them have been initialized: a side container that is restarted holds up
  // nothing.
  const isUp = mainContainers(pod).some((container) => recordOf(container, view).state.kind === "running");
  const pending = isUp ? undefined : initContainers(pod).find((container) => !isInitialized(container, view));
  // A side container that has been started is kept up while the later ones are, and after them.
  const started = initContainers(pod).filter((container) => isSidecar(container) && recordOf(container, view).hasRun);
  const wanted = pending
    ? [...started.filter((container) => container !== pending), pending]
    : [...started, ...mainContainers(pod)];
  return wanted.flatMap((container) => stepFor(pod, container, view, now));
}

/** When a pod that has to wait wants to be looked at again. */
export function nextLook(view: PodView, now: number): number | undefined {
  const times = [...view.containers.values()].map(({ dueAt }) => dueAt).filter((time) => time > now);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Whether nothing of the pod will ever run again by itself. */
export function isOver(pod: Pod, view: PodView): boolean {
  if (isOverBefore(pod)) return true;
  const isInitFailed = initContainers(pod).some(
    (container) => isSpent(pod, container, view) && !isInitialized(container, view),
  );
  return (
    isInitFailed ||
    (mainContainers(pod).length > 0 && mainContainers(pod).every((container) => isSpent(pod, container, view)))
  );
}

/** The kubelet restarts a container after this end of its run. */
export function isRestarted(pod: Pod, container: Container, { exitCode }: Termination): boolean {
  if (isSidecar(container)) return true;
  const policy = pod.spec?.restartPolicy ?? "Always";
  const isInit = initContainers(pod).includes(container);
  if (policy === "Always") return !isInit || exitCode !== 0;
  return policy === "OnFailure" && exitCode !== 0;
}

export function initContainers(pod: Pod): readonly Container[] {
  return pod.spec?.initContainers ?? [];
}

export function mainContainers(pod: Pod): readonly Container[] {
  return pod.spec?.containers ?? [];
}

export function isSidecar(container: Container): boolean {
  return container.restartPolicy === "Always";
}

/** Whether the containers after this one may start. */
export function isInitialized(container: Container, view: PodView): boolean {
  const { state, isStarted } = recordOf(container, view);
  if (isSidecar(container)) return state.kind === "running" && isStarted;
  return state.kind === "terminated" && state.termination.exitCode === 0;
}

function recordOf(container: Container, { containers }: PodView): ContainerRecord {
  const record = containers.get(container.name);
  if (!record) throw new TypeError(`no record of container ${container.name}`);
  return record;
}

function isOverBefore({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

function isSpent(pod: Pod, container: Container, view: PodView): boolean {
  const { state, isReplaced } = recordOf(container, view);
  return state.kind === "terminated" && !isReplaced && !isRestarted(pod, container, state.termination);
}

function ending(view: PodView, last?: PodStep): PodStep[] {
  const running = [...view.containers.values()].filter(({ state }) => state.kind === "running");
  if (running.length > 0) {
    return running
      .filter(({ isStopping }) => !isStopping)
      .map(({ name }) => ({ kind: "stop", container: name, message: `Stopping container ${name}` }));
  }
  return [...(view.isSetUp ? [{ kind: "tear-down" } as const] : []), ...(last ? [last] : [])];
}

function stepFor(pod: Pod, container: Container, view: PodView, now: number): PodStep[] {
  const record = recordOf(container, view);
  const { state, isStopping, triedImage, dueAt } = record;
  if (isStopping) return [];
  if (state.kind === "running") return stopFor(pod, container, record);
  // The waits that an image has earned are not those of another.
  const isDue = dueAt <= now || triedImage !== container.image;
  return isDue && !isSpent(pod, container, view) ? [{ kind: "start", container }] : [];
}

function stopFor(pod: Pod, container: Container, { name, image, ailment }: ContainerRecord): PodStep[] {
  const isInit = initContainers(pod).includes(container);
  // An init container that runs is left to end, and has the new image in its next run.
  if (image !== container.image && (!isInit || isSidecar(container))) {
    const message = isInit
      ? `Init container ${name} definition changed`
      : `Container ${name} definition changed, will be restarted`;
    return [{ kind: "stop", container: name, message, isReplaced: true }];
  }
  return ailment === undefined ? [] : [{ kind: "stop", container: name, message: ailment }];
}
