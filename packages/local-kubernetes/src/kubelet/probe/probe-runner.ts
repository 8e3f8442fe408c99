import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Container, Probe } from "kubernetes-types/core/v1.d.ts";
import { attempt, type ProbeTarget } from "./attempt.ts";
import {
  afterAttempt,
  initialProbeState,
  isGivenUp,
  nextAttempt,
  type ProbeKind,
  type ProbeState,
} from "./probe-state.ts";

/** Told of what the probes of a running container find. */
export interface ProbeListener {
  onStarted(): void;
  onReady(isReady: boolean): void;
  /** Too many failures of the liveness or startup probe. */
  onAiling(kind: ProbeKind): void;
  onFailure(kind: ProbeKind, message: string): void;
}

/** Runs a container's probes: the startup probe first, when there is one, then the others side by side. */
export function runProbes(target: ProbeTarget, listener: ProbeListener, clock: Clock, signal: AbortSignal): void {
  const { startupProbe, livenessProbe, readinessProbe }: Container = target.container;
  const context = { target, listener, clock, signal };
  const begin = () => {
    listener.onStarted();
    if (livenessProbe) new ProbeRun("liveness", livenessProbe, context).begin();
    if (!readinessProbe) listener.onReady(true);
    else new ProbeRun("readiness", readinessProbe, context).begin((isReady) => listener.onReady(isReady));
  };
  if (!startupProbe) begin();
  else new ProbeRun("startup", startupProbe, context).begin((isStarted) => isStarted && begin());
}

interface ProbeContext {
  readonly target: ProbeTarget;
  readonly listener: ProbeListener;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** One probe of one run of a container. */
class ProbeRun {
  readonly #kind: ProbeKind;
  readonly #probe: Probe;
  readonly #context: ProbeContext;
  #state: ProbeState;
  #firstAt: number | undefined;
  #onChange: (isSuccess: boolean) => void = () => undefined;

  constructor(kind: ProbeKind, probe: Probe, context: ProbeContext) {
    this.#kind = kind;
    this.#probe = probe;
    this.#context = context;
    this.#state = initialProbeState(kind);
  }

  begin(onChange: (isSuccess: boolean) => void = () => undefined): void {
    this.#onChange = onChange;
    this.#later((this.#probe.initialDelaySeconds ?? 0) * 1000, true);
  }

  #later(delayMs: number, isEager: boolean): void {
    const { clock, signal } = this.#context;
    if (signal.aborted) return;
    const run = () => {
      signal.removeEventListener("abort", cancel);
      void this.#try(isEager);
    };
    const cancel = clock.after(delayMs, run);
    signal.addEventListener("abort", cancel, { once: true });
  }

  async #try(isEager: boolean): Promise<void> {
    const { target, listener, clock, signal } = this.#context;
    const began = clock.monotonic();
    this.#firstAt ??= began;
    const { isSuccess, message } = await attempt(this.#probe, target);
    if (signal.aborted) return;
    const canBeForgiven = isEager && !isSuccess && this.#kind !== "liveness" && this.#state.result === "failure";
    if (!canBeForgiven) this.#learn(isSuccess);
    if (!isSuccess && !canBeForgiven) listener.onFailure(this.#kind, message);
    if (isGivenUp(this.#kind, this.#state, this.#probe)) return listener.onAiling(this.#kind);
    if (this.#kind === "startup" && this.#state.result === "success") return;
    const next = nextAttempt(this.#kind, this.#state, this.#probe, clock.monotonic() - this.#firstAt);
    // Periods are counted from one beginning to the next.
    const took = next.isEager ? 0 : clock.monotonic() - began;
    this.#later(Math.max(0, next.delayMs - took), next.isEager);
  }

  #learn(isSuccess: boolean): void {
    const before = this.#state.result;
    this.#state = afterAttempt(this.#state, this.#probe, isSuccess);
    if (this.#state.result !== before) this.#onChange(this.#state.result === "success");
  }
}
