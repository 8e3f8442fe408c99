import type { Clock } from "../watch/clock.ts";

export interface IdleTimer {
  readonly hasFired: boolean;
  touch(): void;
  stop(): void;
}

/** Runs `onIdle` when nothing touched it for a while; a touch costs no timer, so there may be many. */
export function idleTimer(clock: Clock, idleMs: number, onIdle: () => void): IdleTimer {
  let touchedAt = clock.monotonic();
  let hasFired = false;
  const look = () => {
    const leftMs = touchedAt + idleMs - clock.monotonic();
    if (leftMs > 0) {
      cancel = clock.after(leftMs, look);
      return;
    }
    hasFired = true;
    onIdle();
  };
  let cancel = clock.after(idleMs, look);
  return {
    get hasFired() {
      return hasFired;
    },
    touch() {
      touchedAt = clock.monotonic();
    },
    stop: () => cancel(),
  };
}
