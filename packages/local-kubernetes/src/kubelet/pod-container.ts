import { rm } from "node:fs/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Image } from "../images/image.ts";
import { type BackOff, dueAt, nextBackOff } from "./back-off.ts";
import { watchHealth } from "./container-health.ts";
import { lookForImage } from "./container-image.ts";
import { type PodRun, prepareLaunch, terminationMessage } from "./container-launch.ts";
import { afterRun, type ContainerRecord, lastOf, startedOver } from "./container-record.ts";
import type { ContainerRun, RunningContainer } from "./container-run.ts";
import { KubeletError } from "./kubelet-error.ts";
import { ContainerLog } from "./logs/container-log.ts";
import type { NodeContext } from "./node-context.ts";
import { isRestarted } from "./plan.ts";
import { podPaths } from "./pod-paths.ts";
import { type Launch, startContainerProcess } from "./sandbox/container-process.ts";
import { hasNamespaces } from "./sandbox/host-pid.ts";

const retryMs = 2_000;
const killedRetryMs = 200;
const pullFailureShownMs = 1_000;
const pullProgressMs = 15_000;
const configError = "CreateContainerConfigError";

/** One container of a pod over all its runs: starts it, watches it, stops it, and keeps the record of it. */
export class PodContainer {
  readonly #context: NodeContext;
  readonly #wake: () => void;
  #record: ContainerRecord;
  #run: ContainerRun | undefined;
  #backOff: BackOff | undefined;
  #freshlyPulled: string | undefined;
  #killAt = Number.POSITIVE_INFINITY;
  #cancelKill: () => void = () => undefined;

  constructor(context: NodeContext, record: ContainerRecord, wake: () => void) {
    this.#context = context;
    this.#record = record;
    this.#wake = wake;
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get running(): RunningContainer | undefined {
    return this.#run;
  }

  /** Begins a run if all it needs is there; otherwise the record says what is missing, and when to try again. */
  async start(pod: Stored<Pod>, container: Container, run: PodRun): Promise<void> {
    this.#change({ triedImage: container.image ?? "" });
    const image = this.#image(pod, container);
    if (!image) return;
    const restartCount = this.#record.hasRun ? this.#record.restartCount + 1 : this.#record.restartCount;
    const dir = podPaths(this.#context.config.stateDir, pod.metadata.uid).run(container.name, restartCount);
    let launch: Launch;
    try {
      launch = await prepareLaunch(this.#context, { pod, container, image, run, dir });
    } catch (error) {
      this.#hold(pod, container, { reason: configError, message: messageOf(error), waitMs: retryMs });
      return;
    }
    await this.#begin({ pod, container, run, launch, dir, imageId: image.id, restartCount });
  }

  /**
   * Asks the container to end, and makes it end when the grace is over; replaced, it will run again with another image.
   */
  stop(message: string, graceMs: number, isReplaced = false): void {
    const run = this.#run;
    if (!run) return;
    if (!this.#record.isStopping) this.#event(run.pod, "Normal", "Killing", message);
    this.#change({ isStopping: true, isReplaced });
    this.limitGrace(graceMs);
    run.process.kill("SIGTERM");
  }

  /** Makes a container that is being stopped end no later than this. */
  limitGrace(graceMs: number): void {
    const run = this.#run;
    const killAt = this.#context.clock.now() + graceMs;
    if (!run || !this.#record.isStopping || killAt >= this.#killAt) return;
    this.#killAt = killAt;
    this.#cancelKill();
    const kill = () => run.process.kill("SIGKILL");
    if (graceMs <= 0) kill();
    else this.#cancelKill = this.#context.clock.after(graceMs, kill);
  }

  /** Starts from the beginning, as an init container does whose pod got new namespaces. */
  reset(): void {
    this.#record = startedOver(this.#record);
  }

  #image(pod: Stored<Pod>, container: Container): Image | undefined {
    const { images, clock } = this.#context;
    const name = container.image ?? "";
    const found = lookForImage(images, container, clock.now());
    if (found.kind === "ready") {
      if (this.#freshlyPulled !== name)
        this.#event(pod, "Normal", "Pulled", `Container image "${name}" already present on machine`);
      this.#freshlyPulled = undefined;
      return found.image;
    }
    if (found.kind === "held") {
      if (found.reason === "ImagePullBackOff")
        this.#event(pod, "Normal", "BackOff", `Back-off pulling image "${name}"`);
      this.#hold(pod, container, found);
      return undefined;
    }
    this.#event(pod, "Normal", "Pulling", `Pulling image "${name}"`);
    this.#change({ dueAt: Number.POSITIVE_INFINITY });
    void this.#pull(pod, container, name);
    return undefined;
  }

  async #pull(pod: Stored<Pod>, container: Container, name: string): Promise<void> {
    const progress = this.#tellProgress(pod, container, name);
    const answer = await this.#context.images.pull(name, progress.tell).finally(progress.stop);
    // Another image was asked for meanwhile, and may run already.
    if (this.#record.triedImage !== name) return;
    if (answer.kind === "ready") {
      this.#event(pod, "Normal", "Pulled", `Successfully pulled image "${name}" in ${answer.tookMs / 1000}s`);
      this.#freshlyPulled = name;
      this.#change({ dueAt: 0 });
    } else {
      this.#event(pod, "Warning", "Failed", `Failed to pull image "${name}": ${answer.message}`);
      const waitMs = Math.min(pullFailureShownMs, answer.waitMs / 2);
      this.#hold(pod, container, { reason: "ErrImagePull", message: answer.message, waitMs });
    }
    this.#wake();
  }

  /** What takes long is told when it begins, and again and again for as long as it goes on. */
  #tellProgress(pod: Stored<Pod>, container: Container, name: string) {
    const { clock } = this.#context;
    const began = clock.now();
    let [last, cancel] = ["", (): void => undefined];
    const again = () => {
      cancel();
      cancel = clock.after(pullProgressMs, again);
      if (this.#record.triedImage !== name) return;
      const seconds = Math.round((clock.now() - began) / 1000);
      const message = `Pulling image "${name}": ${last}${seconds > 0 ? `, for ${seconds} s so far` : ""}`;
      this.#event(pod, "Normal", "Pulling", message);
      const { state } = this.#record;
      if (state.kind === "terminated" && !isRestarted(pod, container, state.termination)) return;
      this.#notice({ state: { kind: "waiting", reason: "ContainerCreating", message }, ...lastOf(this.#record) });
    };
    const tell = (progress: string) => {
      last = progress;
      again();
    };
    return { tell, stop: () => cancel() };
  }

  async #begin(start: Start): Promise<void> {
    const { pod, container, launch, dir, imageId, restartCount } = start;
    const { clock, config } = this.#context;
    const paths = podPaths(config.stateDir, pod.metadata.uid);
    const log = new ContainerLog(paths.log(container.name, restartCount), () => new Date(clock.now()));
    void rm(paths.log(container.name, restartCount - 2), { force: true });
    const containerId = `local://${pod.metadata.uid}/${container.name}/${restartCount}`;
    const { state, hasRun, image: lastImage } = this.#record;
    const isRepeated = hasRun && lastImage === container.image;
    this.#backOff = isRepeated ? nextBackOff(this.#backOff, clock.now(), this.#context.backOff) : undefined;
    const last = state.kind === "terminated" ? { last: state.termination } : {};
    const image = container.image ?? "";
    const fresh = { ...last, hasRun: true, isReplaced: false, restartCount, image, imageId, containerId };
    const startedAt = clock.now();
    try {
      const process = await startContainerProcess(start.run.sandboxPid, launch, (stream, from) =>
        log.attach(stream, from),
      );
      const run: ContainerRun = { pod, container, dir, launch, log, process, startedAt, probes: new AbortController() };
      this.#run = run;
      const state = { kind: "running", startedAt } as const;
      this.#change({ ...fresh, state, isStarted: false, isReady: false, isStopping: false });
      void process.ended.then((exitCode) => this.#end(run, exitCode, exitCode === 0 ? "Completed" : "Error"));
      this.#event(pod, "Normal", "Created", `Created container: ${container.name}`);
      this.#event(pod, "Normal", "Started", `Started container ${container.name}`);
      watchHealth(this.#context, run, start.run.podIp, (change) => this.#notice(change));
    } catch (error) {
      if (!(error instanceof KubeletError)) throw error;
      log.close();
      void discard(dir);
      // The pod's namespaces are going away: that is no failure of this container, and there will be new ones.
      if (error.code === "killed" || !hasNamespaces(start.run.sandboxPid)) {
        this.#change({ dueAt: clock.now() + killedRetryMs });
        return;
      }
      this.#change(fresh);
      this.#event(pod, "Warning", "Failed", `Error: ${error.message}`);
      this.#ended(pod, container, { exitCode: 128, reason: "StartError", message: error.message, startedAt });
    }
  }

  #end(run: ContainerRun, exitCode: number, reason: string): void {
    const { pod, container, dir, startedAt, log } = run;
    run.probes.abort();
    this.#cancelKill();
    this.#killAt = Number.POSITIVE_INFINITY;
    log.close();
    this.#run = undefined;
    const message = terminationMessage(container, dir, exitCode, log.file);
    this.#ended(pod, container, { exitCode, reason, startedAt, ...(message !== undefined && { message }) });
    void discard(dir);
    this.#wake();
  }

  #ended(
    pod: Stored<Pod>,
    container: Container,
    how: { exitCode: number; reason: string; message?: string; startedAt: number },
  ): void {
    const { clock, backOff } = this.#context;
    const finishedAt = clock.now();
    const restartAt = dueAt(this.#backOff, finishedAt, backOff);
    this.#record = afterRun(this.#record, how, { finishedAt, restartAt });
    if (this.#record.backOffMs > 0) {
      const where = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
      this.#event(pod, "Warning", "BackOff", `Back-off restarting failed container ${container.name} in pod ${where}`);
    }
  }

  #hold(pod: Stored<Pod>, container: Container, { reason, message, waitMs }: Obstacle): void {
    const { state } = this.#record;
    this.#event(pod, "Warning", "Failed", `Error: ${reason === configError ? message : reason}`);
    // A container that is never restarted has one attempt at its new image, as with the kubelet of Kubernetes.
    if (state.kind === "terminated" && !isRestarted(pod, container, state.termination)) {
      this.#notice({ isReplaced: false });
      return;
    }
    this.#change({
      ...{ state: { kind: "waiting", reason, message }, dueAt: this.#context.clock.now() + waitMs },
      ...lastOf(this.#record),
    });
  }

  #notice(change: Partial<ContainerRecord>): void {
    this.#change(change);
    this.#wake();
  }

  #change(change: Partial<ContainerRecord>): void {
    this.#record = { ...this.#record, ...change };
  }

  #event(pod: Stored<Pod>, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#context.events.record(pod, { type, reason, message });
  }
}

/** What keeps a container from starting, and for how long nothing is tried. */
interface Obstacle {
  readonly reason: string;
  readonly message: string;
  readonly waitMs: number;
}

interface Start {
  readonly pod: Stored<Pod>;
  readonly container: Container;
  readonly run: PodRun;
  readonly launch: Launch;
  readonly dir: string;
  readonly imageId: string;
  readonly restartCount: number;
}

/**
 * Removes a container's folder; what cannot be removed yet, such as a root that is still mounted for a moment, goes
 * with the pod.
 */
export async function discard(dir: string, remove: typeof rm = rm): Promise<void> {
  await remove(dir, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}
