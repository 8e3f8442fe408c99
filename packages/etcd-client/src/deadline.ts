/** Work that is given up, by its signal, when `timeoutMs` have passed or the caller's signal fires. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether it was the time. */
  readonly isOver: boolean;
  /** To be called when the work has ended. */
  release(): void;
}

// Not AbortSignal.any over AbortSignal.timeout: neither can be released, and no clock of a test moves the latter.
export function deadline(timeoutMs: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort();
  }, timeoutMs);
  const onAbort = () => controller.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener("abort", onAbort);
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
