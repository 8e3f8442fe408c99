import type { Stored } from "@etcd-operator/kubernetes-client";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { type BackOff, dueAt, nextBackOff } from "@etcd-operator/local-kubernetes/kubelet/back-off.ts";
import {
  afterRun,
  type ContainerRecord,
  lastOf,
  startedOver,
  type Termination,
} from "@etcd-operator/local-kubernetes/kubelet/container-record.ts";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { isImageName } from "./images.ts";
import { launchProgram, type PodRun } from "./launch-program.ts";
import type { NodeContext } from "./node-context.ts";
import { watchProbes } from "./probe-watch.ts";
import type { Program, ProgramEnd } from "./program.ts";

const START_MS = { least: 300, spread: 700 };
const PULL_BACK_OFF_MS = { first: 10_000, last: 300_000 };
const CONFIG_RETRY_MS = 2_000;
const NAME_RETRY_MS = 60_000;

interface Run {
  readonly pod: Stored<Pod>;
  readonly container: Container;
  readonly program: Program;
  readonly startedAt: number;
}

/** One container of a pod over all its runs. */
export class PodContainer {
  readonly #context: NodeContext;
  readonly #wake: () => void;
  #record: ContainerRecord;
  #run: Run | undefined;
  #backOff: BackOff | undefined;
  #pullWaitMs = PULL_BACK_OFF_MS.first;
  #cancelStart: () => void = () => undefined;
  #cancelKill: () => void = () => undefined;
  #killAt = Number.POSITIVE_INFINITY;

  constructor(context: NodeContext, record: ContainerRecord, wake: () => void) {
    this.#context = context;
    this.#record = record;
    this.#wake = wake;
  }

  get record(): ContainerRecord {
    return this.#record;
  }

  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** Begins a run, which takes a moment. */
  start(pod: Stored<Pod>, container: Container, run: PodRun): void {
    const { images, clock, random } = this.#context;
    const image = container.image ?? "";
    this.#change({ triedImage: image, dueAt: Number.POSITIVE_INFINITY });
    if (!isImageName(image)) {
      this.#hold("InvalidImageName", `couldn't parse image name "${image}": invalid reference format`, NAME_RETRY_MS);
      return;
    }
    if (!images.isThere(image)) {
      this.#hold("ImagePullBackOff", `Back-off pulling image "${image}"`, this.#pullWaitMs);
      this.#pullWaitMs = Math.min(this.#pullWaitMs * 2, PULL_BACK_OFF_MS.last);
      return;
    }
    this.#cancelStart();
    this.#cancelStart = clock.after(START_MS.least + random.int(START_MS.spread), () => {
      this.#begin(pod, container, run);
    });
  }

  stop(graceMs: number, isReplaced = false): void {
    const run = this.#run;
    if (!run) return;
    this.#change({ isStopping: true, isReplaced });
    run.program.stop();
    this.limitGrace(graceMs);
  }

  /** Makes a container that is being stopped end no later than this. */
  limitGrace(graceMs: number): void {
    const run = this.#run;
    const { clock } = this.#context;
    const killAt = clock.now() + graceMs;
    if (!run || !this.#record.isStopping || killAt >= this.#killAt) return;
    this.#killAt = killAt;
    this.#cancelKill();
    if (graceMs <= 0) run.program.kill();
    else this.#cancelKill = clock.after(graceMs, () => run.program.kill());
  }

  kill(): void {
    this.#run?.program.kill();
  }

  /** Nothing of it is to be started any more. */
  cancel(): void {
    this.#cancelStart();
  }

  /** Starts from the beginning, as an init container does whose pod was set up again. */
  reset(): void {
    this.#record = startedOver(this.#record);
  }

  #begin(pod: Stored<Pod>, container: Container, run: PodRun): void {
    const { clock } = this.#context;
    const startedAt = clock.now();
    const { hasRun, image: lastImage, state } = this.#record;
    const restartCount = hasRun ? this.#record.restartCount + 1 : this.#record.restartCount;
    const image = container.image ?? "";
    const program = this.#launched(pod, container, run);
    if (program === "unlaunched") return;
    const isRepeated = hasRun && lastImage === container.image;
    this.#backOff = isRepeated ? nextBackOff(this.#backOff, startedAt, this.#context.backOff) : undefined;
    const containerId = `model://${pod.metadata.uid}/${container.name}/${restartCount}`;
    this.#change({
      ...(state.kind === "terminated" && { last: state.termination }),
      ...{ hasRun: true, isReplaced: false, restartCount, image, imageId: image, containerId, dueAt: 0 },
    });
    if (!program) {
      const message = `exec: "${container.command?.[0]}": no such file or directory`;
      this.#ended({ exitCode: 128, reason: "StartError", message, startedAt });
      this.#wake();
      return;
    }
    this.#follow({ pod, container, program, startedAt });
    this.#wake();
  }

  #launched(pod: Stored<Pod>, container: Container, run: PodRun): Program | undefined | "unlaunched" {
    try {
      return launchProgram(this.#context, pod, container, run);
    } catch (error) {
      this.#hold("CreateContainerConfigError", messageOf(error), CONFIG_RETRY_MS);
      this.#wake();
      return "unlaunched";
    }
  }

  #follow(run: Run): void {
    const { container, program, startedAt } = run;
    this.#run = run;
    const isFresh = { isStarted: false, isReady: false, isStopping: false };
    this.#change({ state: { kind: "running", startedAt }, ...isFresh });
    const leave = watchProbes(container, program, this.#context.clock, {
      onStarted: () => this.#notice({ isStarted: true }),
      onReady: (isReady) => this.#notice({ isReady }),
      onAiling: (ailment) => this.#notice({ ailment }),
    });
    void program.ended.then((end) => {
      leave();
      if (this.#run === run) this.#end(run, end);
    });
  }

  #end({ container, startedAt }: Run, { exitCode, message }: ProgramEnd): void {
    this.#run = undefined;
    this.#cancelKill();
    this.#killAt = Number.POSITIVE_INFINITY;
    const isTold = container.terminationMessagePolicy === "FallbackToLogsOnError" && exitCode !== 0;
    const words = isTold && message !== undefined ? { message } : {};
    this.#ended({ exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, ...words });
    this.#wake();
  }

  #ended(how: Omit<Termination, "finishedAt" | "containerId">): void {
    const { clock, backOff } = this.#context;
    const finishedAt = clock.now();
    const restartAt = dueAt(this.#backOff, finishedAt, backOff);
    this.#record = afterRun(this.#record, how, { finishedAt, restartAt });
  }

  #hold(reason: string, message: string, waitMs: number): void {
    const until = this.#context.clock.now() + waitMs;
    this.#change({ state: { kind: "waiting", reason, message }, dueAt: until, ...lastOf(this.#record) });
  }

  #notice(change: Partial<ContainerRecord>): void {
    if (!this.#run) return;
    this.#change(change);
    this.#wake();
  }

  #change(change: Partial<ContainerRecord>): void {
    this.#record = { ...this.#record, ...change };
  }
}
