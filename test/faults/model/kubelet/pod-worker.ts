import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../../src/kubernetes/kube-object.ts";
import { hasCode } from "../../../../src/kubernetes/kubernetes-error.ts";
import { resources } from "../../../../src/kubernetes/resources.ts";
import { restoredRecords } from "../../../../src/local/kubelet/container-record.ts";
import { KubeletError } from "../../../../src/local/kubelet/kubelet-error.ts";
import { initContainers, nextLook, type PodStep, type PodView, planPod } from "../../../../src/local/kubelet/plan.ts";
import { podStatus } from "../../../../src/local/kubelet/status/pod-status.ts";
import { StatusWriter } from "../../../../src/local/kubelet/status-writer.ts";
import { WakeUp } from "../../../../src/local/kubelet/wake-up.ts";
import type { PodRun } from "./launch-program.ts";
import type { NodeContext } from "./node-context.ts";
import { PodContainer } from "./pod-container.ts";
import { emptyDirId, mountVolumes } from "./pod-volumes.ts";

const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 10_000;
const USUAL_GRACE_SECONDS = 30;
const HOST_IP = "10.0.0.1";

/** Brings one pod to what its object says, until both are gone. What is decided is decided by the real kubelet's code. */
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
  #retry = { at: 0, waitMs: FIRST_RETRY_MS };
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
        this.#later();
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
    if (this.#isGoing || this.#isVanished) this.#hurry();
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
      this.#retry = { at: 0, waitMs: FIRST_RETRY_MS };
      for (const { name } of initContainers(this.#pod)) this.#containers.get(name)?.reset();
    } catch (error) {
      if (!(error instanceof KubeletError)) throw error;
      this.#later();
    }
  }

  #tearDown(): void {
    for (const container of this.#containers.values()) container.cancel();
    if (this.#run) this.#context.giveIpBack(this.#run.ip);
    this.#run = undefined;
  }

  async #remove(signal: AbortSignal): Promise<void> {
    const { client, etcd } = this.#context;
    const { namespace, name, uid } = this.#pod.metadata;
    if (!this.#isVanished) {
      this.#writer.request(signal);
      await this.#writer.flush();
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal };
      await client.delete(resources.pods, { namespace, name }, options).catch((error: unknown) => {
        if (!hasCode(error, "not-found", "conflict")) throw error;
      });
    }
    this.#isRemoved = true;
    for (const { name: volume, emptyDir } of this.#pod.spec?.volumes ?? []) {
      if (emptyDir) etcd.dropDisk(emptyDirId(this.#pod, volume));
    }
  }

  #status(pod: Stored<Pod>) {
    const { clock } = this.#context;
    const podIp = this.#run?.ip ?? this.#lastIp(pod);
    return podStatus(pod, this.#view(), { podIp, hostIp: HOST_IP, seenAt: this.#seenAt, now: clock.now() });
  }

  // A pod that is over keeps the address that it had.
  #lastIp({ status }: Pod): string | undefined {
    const isUnderWay = status?.phase === "Pending" || status?.phase === "Running";
    return isUnderWay && !this.#isGoing ? undefined : status?.podIP;
  }

  #view(): PodView {
    const records = [...this.#containers.values()].map(({ record }) => [record.name, record] as const);
    const isGoing = this.#isGoing || this.#isVanished;
    return { isSetUp: this.#run !== undefined, isGoing, containers: new Map(records) };
  }

  get #isGoing(): boolean {
    return this.#pod.metadata.deletionTimestamp !== undefined;
  }

  #graceMs(): number {
    if (this.#isVanished) return 0;
    const { metadata, spec } = this.#pod;
    const seconds = this.#isGoing ? metadata.deletionGracePeriodSeconds : spec?.terminationGracePeriodSeconds;
    return (seconds ?? USUAL_GRACE_SECONDS) * 1_000;
  }

  #hurry(): void {
    for (const container of this.#containers.values()) container.limitGrace(this.#graceMs());
  }

  #later(): void {
    const { waitMs } = this.#retry;
    this.#retry = { at: this.#context.clock.now() + waitMs, waitMs: Math.min(waitMs * 2, LAST_RETRY_MS) };
  }

  #nextPass(): number | undefined {
    const isRetrying = this.#retry.at > this.#passBeganAt;
    const due = nextLook(this.#view(), this.#passBeganAt) ?? Number.POSITIVE_INFINITY;
    const at = Math.min(due, isRetrying ? this.#retry.at : Number.POSITIVE_INFINITY);
    return Number.isFinite(at) ? at : undefined;
  }
}
