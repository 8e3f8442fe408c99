import type { Clock } from "@etcd-operator/kubernetes-client";
import type { Container, Probe } from "kubernetes-types/core/v1.d.ts";
import type { Program } from "./program.ts";

/** Gets the results of the probes of a running container. */
export interface ProbeNews {
  onStarted(): void;
  onReady(isReady: boolean): void;
  /** It is to be started again. */
  onAiling(why: string): void;
}

/** A kubelet that probes once per period sees a good answer soon, for it tries more often until there is one. */
const SUCCESS_MS = 100;

/**
 * What a kubelet's probes would find, and when it would know, without asking again and again: a program reports when
 * its answers change, and a verdict turns when they have stayed so for as long as the probe's thresholds ask for.
 */
export function watchProbes(container: Container, program: Program, clock: Clock, news: ProbeNews): () => void {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const watches: ProbeWatch[] = [];
  const watch = (probe: Probe, isGood: boolean, tell: (isGood: boolean) => void) => {
    const added = new ProbeWatch(probe, isGood, { ask: () => program.answers?.(probe) ?? true, clock, tell });
    watches.push(added);
    added.look();
  };
  const begin = () => {
    news.onStarted();
    const why = `Container ${container.name} failed liveness probe, will be restarted`;
    if (livenessProbe) watch(livenessProbe, true, (isGood) => !isGood && news.onAiling(why));
    if (readinessProbe) watch(readinessProbe, false, (isGood) => news.onReady(isGood));
    else news.onReady(true);
  };
  if (startupProbe) watch(startupProbe, false, (isGood) => isGood && watches.length === 1 && begin());
  else begin();
  const leave = program.onChange?.(() => {
    for (const each of [...watches]) each.look();
  });
  return () => {
    leave?.();
    for (const each of watches) each.cancel();
  };
}

interface ProbeContext {
  readonly ask: () => boolean;
  readonly clock: Clock;
  readonly tell: (isGood: boolean) => void;
}

class ProbeWatch {
  readonly #probe: Probe;
  readonly #context: ProbeContext;
  #isGood: boolean;
  #cancel: (() => void) | undefined;

  constructor(probe: Probe, isGood: boolean, context: ProbeContext) {
    this.#probe = probe;
    this.#isGood = isGood;
    this.#context = context;
  }

  look(): void {
    const answer = this.#context.ask();
    if (answer === this.#isGood) this.cancel();
    else this.#cancel ??= this.#context.clock.after(this.#delayMs(answer), () => this.#turn(answer));
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #turn(answer: boolean): void {
    this.#cancel = undefined;
    this.#isGood = answer;
    this.#context.tell(answer);
    this.look();
  }

  #delayMs(answer: boolean): number {
    const { periodSeconds = 10, failureThreshold = 3 } = this.#probe;
    return answer ? SUCCESS_MS : periodSeconds * failureThreshold * 1_000;
  }
}
