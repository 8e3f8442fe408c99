import { rm } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { restoredRecords } from "./container-record.ts";
import type { NodeContext } from "./node-context.ts";
import { initContainers, nextLook, type PodStep, type PodView, planPod } from "./plan.ts";
import { PodContainer } from "./pod-container.ts";
import { graceMsOf, isGoing, lastIpOf, removePod } from "./pod-object.ts";
import { podPaths } from "./pod-paths.ts";
import { type PodSetUp, setUpFailure, setUpPod, tearDownPod } from "./pod-set-up.ts";
import { RetryPace } from "./retry-pace.ts";
import { podStatus } from "./status/pod-status.ts";
import { StatusWriter } from "./status-writer.ts";
import { prepareVolumes } from "./volumes/pod-volumes.ts";
import { hasLivePayload } from "./volumes/volume-payload.ts";
import { WakeUp } from "./wake-up.ts";

const shutDownGraceMs = 2_000;

/** Brings one pod to what its object says, again and again, until both are gone. */
export class PodWorker {
  readonly #context: NodeContext;
  readonly #containers = new Map<string, PodContainer>();
  readonly #writer: StatusWriter;
  readonly #wakeUp: WakeUp;
  readonly #seenAt: number;
  #pod: Stored<Pod>;
  #isVanished = false;
  #isRemoved = false;
  #setUp: PodSetUp | undefined;
  readonly #retry = new RetryPace();
  #passBeganAt = 0;
  #refreshAt = Number.POSITIVE_INFINITY;

  constructor(context: NodeContext, pod: Stored<Pod>) {
    this.#context = context;
    this.#pod = pod;
    this.#seenAt = context.clock.now();
    this.#wakeUp = new WakeUp(context.clock);
    this.#writer = new StatusWriter(pod, {
      client: context.client,
      clock: context.clock,
      compute: (latest) => this.#status(latest),
      onError: (error) => context.log(`could not write the status of ${this.name}: ${messageOf(error)}`),
    });
    const wake = () => this.#wakeUp.now();
    for (const record of restoredRecords(pod, this.#seenAt)) {
      this.#containers.set(record.name, new PodContainer(context, record, wake));
    }
  }

  get name(): string {
    return `${this.#pod.metadata.namespace}/${this.#pod.metadata.name}`;
  }

  get pod(): Stored<Pod> {
    return this.#pod;
  }

  container(name: string): PodContainer | undefined {
    return this.#containers.get(name);
  }

  /** Tells of a change of the pod's object. */
  update(pod: Stored<Pod>): void {
    const { labels, annotations } = this.#pod.metadata;
    const isRelabelled = !isDeepStrictEqual([labels, annotations], [pod.metadata.labels, pod.metadata.annotations]);
    this.#pod = pod;
    this.#writer.see(pod);
    if (isRelabelled) this.#refreshAt = 0;
    this.#wakeUp.now();
  }

  /** Tells that the object is gone without having waited for us: nothing may run on. */
  vanish(): void {
    this.#isVanished = true;
    this.#wakeUp.now();
  }

  /** Works until the pod is gone, or until the node stops. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wakeUp.now();
    signal.addEventListener("abort", wake, { once: true });
    // What containers wrote outside of volumes did not survive the last kubelet.
    await rm(podPaths(this.#context.config.stateDir, this.#pod.metadata.uid).runs, { recursive: true, force: true });
    while (!signal.aborted && !this.#isRemoved) {
      try {
        await this.#pass(signal);
      } catch (error) {
        this.#context.log(
          `pod ${this.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
        this.#retry.failed(this.#context.clock.now());
      }
      if (!this.#isRemoved && !signal.aborted) await this.#wakeUp.wait(this.#nextPass());
    }
    signal.removeEventListener("abort", wake);
    await this.#shutDown();
  }

  async #pass(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    this.#passBeganAt = clock.now();
    const steps = planPod(this.#pod, this.#view(), this.#passBeganAt);
    if (!this.#isVanished) this.#writer.request(signal);
    await Promise.all(steps.filter(({ kind }) => kind !== "remove").map((step) => this.#take(step)));
    if (this.#isVanished) this.#hurry(0);
    else if (isGoing(this.#pod)) this.#hurry(this.#graceMs());
    if (this.#setUp && this.#refreshAt <= clock.now()) await this.#refresh();
    if (steps.some(({ kind }) => kind === "remove")) await this.#remove(signal);
    else if (!this.#isVanished) this.#writer.request(signal);
    // Taking a step may have made the next one possible.
    if (steps.some(({ kind }) => kind === "set-up" || kind === "tear-down") && this.#retry.at <= clock.now())
      this.#wakeUp.now();
  }

  async #take(step: PodStep): Promise<void> {
    switch (step.kind) {
      case "set-up":
        return this.#prepare();
      case "start":
        if (this.#setUp) await this.#containers.get(step.container.name)?.start(this.#pod, step.container, this.#setUp);
        return;
      case "stop":
        return this.#containers.get(step.container)?.stop(step.message, this.#graceMs(), step.isReplaced);
      case "tear-down":
        return this.#tearDown();
      case "remove":
        return;
    }
  }

  async #prepare(): Promise<void> {
    const { clock, events } = this.#context;
    if (this.#retry.at > clock.now()) return;
    try {
      const setUp = await setUpPod(this.#context, this.#pod);
      this.#setUp = setUp;
      this.#retry.succeeded();
      this.#refreshAt = this.#nextRefresh();
      for (const { name } of initContainers(this.#pod)) this.#containers.get(name)?.reset();
      void setUp.sandbox.ended.then(() => this.#loseSandbox(setUp));
    } catch (error) {
      events.record(this.#pod, { type: "Warning", reason: setUpFailure(error), message: messageOf(error) });
      this.#retry.failed(this.#context.clock.now());
    }
  }

  #loseSandbox(lost: PodSetUp): void {
    if (this.#setUp !== lost) return;
    this.#setUp = undefined;
    this.#context.ips.giveBack(lost.podIp);
    const message = "Pod sandbox changed, it will be killed and re-created.";
    this.#context.events.record(this.#pod, { type: "Normal", reason: "SandboxChanged", message });
    this.#wakeUp.now();
  }

  async #refresh(): Promise<void> {
    const setUp = this.#setUp;
    if (!setUp) return;
    this.#refreshAt = this.#nextRefresh();
    try {
      await prepareVolumes(this.#context, this.#pod, setUp.podIp);
    } catch (error) {
      // The old content stays, as it does in Kubernetes.
      this.#context.events.record(this.#pod, { type: "Warning", reason: "FailedMount", message: messageOf(error) });
    }
  }

  async #remove(signal: AbortSignal): Promise<void> {
    const { client, config, tokens } = this.#context;
    const { uid } = this.#pod.metadata;
    if (!this.#isVanished) {
      this.#writer.request(signal);
      await this.#writer.flush();
      await removePod(client, this.#pod, signal);
    }
    this.#isRemoved = true;
    tokens.forget(uid);
    await rm(podPaths(config.stateDir, uid).dir, { recursive: true, force: true });
  }

  async #tearDown(): Promise<void> {
    const setUp = this.#setUp;
    this.#setUp = undefined;
    if (setUp) await tearDownPod(this.#context, this.#pod.metadata.uid, setUp);
  }

  /** The node stops: processes get a moment to end well, the data stays. */
  async #shutDown(): Promise<void> {
    const ended = [...this.#containers.values()].flatMap((container) => {
      container.stop(`Stopping container ${container.record.name}`, shutDownGraceMs);
      return container.running ? [container.running.process.ended] : [];
    });
    await Promise.all(ended);
    await this.#tearDown();
    await this.#writer.flush();
  }

  #status(pod: Stored<Pod>) {
    const { clock, config } = this.#context;
    const facts = {
      podIp: this.#setUp?.podIp ?? lastIpOf(pod),
      hostIp: config.nodeIp,
      seenAt: this.#seenAt,
      now: clock.now(),
    };
    return podStatus(pod, this.#view(), facts);
  }

  #view(): PodView {
    const records = [...this.#containers.values()].map(({ record }) => [record.name, record] as const);
    return {
      isSetUp: this.#setUp !== undefined,
      isGoing: isGoing(this.#pod) || this.#isVanished,
      containers: new Map(records),
    };
  }

  #graceMs(): number {
    return this.#isVanished ? 0 : graceMsOf(this.#pod);
  }

  #hurry(graceMs: number): void {
    for (const container of this.#containers.values()) container.limitGrace(graceMs);
  }

  #nextRefresh(): number {
    const { clock, refreshMs, tokens } = this.#context;
    if (!hasLivePayload(this.#pod.spec?.volumes ?? [])) return Number.POSITIVE_INFINITY;
    const [now, renewAt] = [clock.now(), tokens.renewAt(this.#pod.metadata.uid)];
    return renewAt > now ? Math.min(now + refreshMs, renewAt) : now + refreshMs;
  }

  #nextPass(): number | undefined {
    // What came due while the pass was under way was not due for it, and must not be slept through.
    const isRetrying = this.#retry.at > this.#passBeganAt;
    const times = [
      nextLook(this.#view(), this.#passBeganAt) ?? Number.POSITIVE_INFINITY,
      isRetrying ? this.#retry.at : Number.POSITIVE_INFINITY,
    ];
    const at = Math.min(...times, this.#setUp ? this.#refreshAt : Number.POSITIVE_INFINITY);
    return Number.isFinite(at) ? at : undefined;
  }
}
