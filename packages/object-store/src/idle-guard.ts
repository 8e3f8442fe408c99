import { onAbort } from "./on-abort.ts";

/** Watches over one request: its signal aborts with the caller's, and when nothing has moved for too long. */
export interface IdleGuard {
  readonly signal: AbortSignal;
  /** Whether it was the silence that ended it. */
  readonly isIdle: boolean;
  /** Something moved, or something new is awaited; `extraMs` where it may take longer. */
  touch(extraMs?: number): void;
  /** It is not the server that is waited for. */
  rest(): void;
  /** The request is over, or is to be. */
  end(): void;
}

export function idleGuard(parent: AbortSignal | undefined, idleTimeoutMs: number): IdleGuard {
  // Not AbortSignal.any: what it makes cannot be unlinked from a parent that outlives the request.
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isIdle = false;
  const rest = () => clearTimeout(timer);
  const touch = (extraMs = 0) => {
    rest();
    if (controller.signal.aborted) return;
    timer = setTimeout(() => {
      isIdle = true;
      controller.abort();
    }, idleTimeoutMs + extraMs);
  };
  touch();
  const unlink = onAbort(parent, () => {
    rest();
    controller.abort();
  });
  return {
    signal: controller.signal,
    get isIdle() {
      return isIdle;
    },
    touch,
    rest,
    end() {
      rest();
      unlink();
      controller.abort();
    },
  };
}
