/** How long to wait before the next attempt, and when that was last decided. */
export interface BackOff {
  readonly delayMs: number;
  readonly updatedAt: number;
}

export interface BackOffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** As the kubelet of Kubernetes: 10 s, doubled by every failure up to 5 minutes. */
export const standardBackOff: BackOffLimits = { baseMs: 10_000, maxMs: 300_000 };

/** The wait before the attempt after this one. Ten quiet minutes are forgiven. */
export function nextBackOff(last: BackOff | undefined, now: number, { baseMs, maxMs }: BackOffLimits): BackOff {
  const isForgiven = last === undefined || now - last.updatedAt > 2 * maxMs;
  return { delayMs: isForgiven ? baseMs : Math.min(last.delayMs * 2, maxMs), updatedAt: now };
}

/** When the next attempt is due after a failure; the first one is due at once. */
export function dueAt(last: BackOff | undefined, failedAt: number, { maxMs }: BackOffLimits): number {
  if (last === undefined || failedAt - last.updatedAt > 2 * maxMs) return failedAt;
  return failedAt + last.delayMs;
}
