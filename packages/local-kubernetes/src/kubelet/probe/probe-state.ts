import type { Probe } from "kubernetes-types/core/v1.d.ts";

export type ProbeKind = "startup" | "liveness" | "readiness";

/** What a probe has shown so far. */
export interface ProbeState {
  readonly result: "success" | "failure";
  /** How many times in a row the last outcome was seen. */
  readonly streak: number;
  readonly lastOutcome: boolean | undefined;
  readonly attempts: number;
}

/** Before its first attempt a container is alive, but neither started nor ready. */
export function initialProbeState(kind: ProbeKind): ProbeState {
  return { result: kind === "liveness" ? "success" : "failure", streak: 0, lastOutcome: undefined, attempts: 0 };
}

/** What is known after one more attempt; the result turns when the threshold is reached. */
export function afterAttempt(state: ProbeState, probe: Probe, isSuccess: boolean): ProbeState {
  const streak = state.lastOutcome === isSuccess ? state.streak + 1 : 1;
  const threshold = isSuccess ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  const result = streak >= threshold ? (isSuccess ? "success" : "failure") : state.result;
  return { result, streak, lastOutcome: isSuccess, attempts: state.attempts + 1 };
}

/** Whether a probe's failures have become too many: the container is to be restarted. */
export function isGivenUp(kind: ProbeKind, state: ProbeState, probe: Probe): boolean {
  if (kind === "readiness" || state.lastOutcome !== false) return false;
  return state.streak >= (probe.failureThreshold ?? 3);
}

export const eagerIntervalMs = 100;

/**
 * The wait before the next attempt. Until its first success, within the first period, a startup or readiness probe is
 * eager: a pod should not be called unready for seconds after it became ready. Kubernetes' own kubelet probes once per
 * period only; eager failures do not count, so that thresholds mean the same.
 */
export function nextAttempt(
  kind: ProbeKind,
  state: ProbeState,
  probe: Probe,
  sinceFirstMs: number,
): { delayMs: number; isEager: boolean } {
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const isEager = kind !== "liveness" && state.result === "failure" && sinceFirstMs + eagerIntervalMs < periodMs;
  return { delayMs: isEager ? eagerIntervalMs : periodMs, isEager };
}
