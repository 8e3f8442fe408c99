import type { Stored } from "@etcd-operator/kubernetes-client";
import { restoredRecords } from "@etcd-operator/local-kubernetes/kubelet/container-record.ts";
import { KubeletError } from "@etcd-operator/local-kubernetes/kubelet/kubelet-error.ts";
import {
  initContainers,
  nextLook,
  type PodStep,
  type PodView,
  planPod,
} from "@etcd-operator/local-kubernetes/kubelet/plan.ts";
import { graceMsOf, isGoing, lastIpOf, removePod } from "@etcd-operator/local-kubernetes/kubelet/pod-object.ts";
import { RetryPace } from "@etcd-operator/local-kubernetes/kubelet/retry-pace.ts";
import { podStatus } from "@etcd-operator/local-kubernetes/kubelet/status/pod-status.ts";
import { StatusWriter } from "@etcd-operator/local-kubernetes/kubelet/status-writer.ts";
import { WakeUp } from "@etcd-operator/local-kubernetes/kubelet/wake-up.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { PodRun } from "./launch-program.ts";
import type { NodeContext } from "./node-context.ts";
import { PodContainer } from "./pod-container.ts";
import { emptyDirId, mountVolumes } from "./pod-volumes.ts";

const HOST_IP = "10.0.0.1";

/**
 * Brings one pod to what its object says, until both are gone. What is decided is decided by the real kubelet's code.
 */
export class PodWorker {
  readonly #context: NodeContext;
  readonly #containers = new Map<string, PodContainer>();
  readonly #writer: StatusWriter;
  readonly #wakeUp: WakeUp;
  readonly #seenAt: number;
  #pod: Stored<Pod>;
  #isVanished = false;
  #isRemoved = false;
  #run: PodRun | undefined;
  readonly #retry = new RetryPace();
  #passBeganAt = 0;

  constructor(context: NodeContext, pod: Stored<Pod>) {
    this.#context = context;
    this.#pod = pod;
    this.#seenAt = context.clock.now();
    this.#wakeUp = new WakeUp(context.clock);
    this.#writer = new StatusWriter(pod, {
      client: context.client,
      clock: context.clock,
      compute: (latest) => this.#status(latest),
      onError: () => undefined,
    });
    for (const record of restoredRecords(pod, this.#seenAt)) {
      this.#containers.set(record.name, new PodContainer(context, record, () => this.#wakeUp.now()));
    }
  }

  get pod(): Stored<Pod> {
    return this.#pod;
  }

  /** The volumes that it has mounted. */
  get disks(): readonly string[] {
    return [...(this.#run?.volumes.values() ?? [])].map(({ id }) => id);
  }

  container(name: string): PodContainer | undefined {
    return this.#containers.get(name);
  }

  update(pod: Stored<Pod>): void {
    this.#pod = pod;
    this.#writer.see(pod);
    this.#wakeUp.now();
  }

  /** The object is gone without having waited for us: nothing may run on. */
  vanish(): void {
    this.#isVanished = true;
    this.#wakeUp.now();
  }

  /** Works until the pod is gone, or until its node goes down, which ends everything at once. */
  async run(signal: AbortSignal): Promise<void> {
    const end = () => {
      this.#endContainers();
      this.#wakeUp.now();
    };
    signal.addEventListener("abort", end, { once: true });
    while (!signal.aborted && !this.#isRemoved) {
      try {
        await this.#pass(signal);
      } catch {
        this.#retry.failed(this.#context.clock.now());
      }
      if (!this.#isRemoved && !signal.aborted) await this.#wakeUp.wait(this.#nextPass());
    }
    signal.removeEventListener("abort", end);
    this.#endContainers();
    this.#tearDown();
  }

  #endContainers(): void {
    for (const container of this.#containers.values()) {
      container.cancel();
      container.kill();
    }
  }

  async #pass(signal: AbortSignal): Promise<void> {
    this.#passBeganAt = this.#context.clock.now();
    const steps = planPod(this.#pod, this.#view(), this.#passBeganAt);
    for (const step of steps) await this.#take(step);
    if (isGoing(this.#pod) || this.#isVanished) this.#hurry();
    if (steps.some(({ kind }) => kind === "remove")) await this.#remove(signal);
    else if (!this.#isVanished) this.#writer.request(signal);
    const isOneMore = steps.some(({ kind }) => kind === "set-up" || kind === "tear-down");
    if (isOneMore && this.#retry.at <= this.#context.clock.now()) this.#wakeUp.now();
  }

  async #take(step: PodStep): Promise<void> {
    switch (step.kind) {
      case "set-up":
        return this.#setUp();
      case "start":
        if (this.#run) this.#containers.get(step.container.name)?.start(this.#pod, step.container, this.#run);
        return;
      case "stop":
        this.#containers.get(step.container)?.stop(this.#graceMs(), step.isReplaced);
        return;
      case "tear-down":
        this.#tearDown();
        return;
      case "remove":
        return;
    }
  }

  async #setUp(): Promise<void> {
    const { takeIp, clock } = this.#context;
    if (this.#retry.at > clock.now()) return;
    try {
      const volumes = await mountVolumes(this.#context, this.#pod);
      this.#run = { ip: takeIp(), volumes };
      this.#retry.succeeded();
      for (const { name } of initContainers(this.#pod)) this.#containers.get(name)?.reset();
    } catch (error) {
      if (!(error instanceof KubeletError)) throw error;
      this.#retry.failed(this.#context.clock.now());
    }
  }

  #tearDown(): void {
    for (const container of this.#containers.values()) container.cancel();
    if (this.#run) this.#context.giveIpBack(this.#run.ip);
    this.#run = undefined;
  }

  async #remove(signal: AbortSignal): Promise<void> {
    const { client, etcd } = this.#context;
    if (!this.#isVanished) {
      this.#writer.request(signal);
      await this.#writer.flush();
      await removePod(client, this.#pod, signal);
    }
    this.#isRemoved = true;
    for (const { name: volume, emptyDir } of this.#pod.spec?.volumes ?? []) {
      if (emptyDir) etcd.dropDisk(emptyDirId(this.#pod, volume));
    }
  }

  #status(pod: Stored<Pod>) {
    const { clock } = this.#context;
    const podIp = this.#run?.ip ?? lastIpOf(pod);
    return podStatus(pod, this.#view(), { podIp, hostIp: HOST_IP, seenAt: this.#seenAt, now: clock.now() });
  }

  #view(): PodView {
    const records = [...this.#containers.values()].map(({ record }) => [record.name, record] as const);
    const isOver = isGoing(this.#pod) || this.#isVanished;
    return { isSetUp: this.#run !== undefined, isGoing: isOver, containers: new Map(records) };
  }

  #graceMs(): number {
    return this.#isVanished ? 0 : graceMsOf(this.#pod);
  }

  #hurry(): void {
    for (const container of this.#containers.values()) container.limitGrace(this.#graceMs());
  }

  #nextPass(): number | undefined {
    const isRetrying = this.#retry.at > this.#passBeganAt;
    const due = nextLook(this.#view(), this.#passBeganAt) ?? Number.POSITIVE_INFINITY;
    const at = Math.min(due, isRetrying ? this.#retry.at : Number.POSITIVE_INFINITY);
    return Number.isFinite(at) ? at : undefined;
  }
}
