import type { Clock } from "@etcd-operator/kubernetes-client";

/** For tests: time that passes only when the test asks. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #timers: { readonly atMs: number; readonly run: () => void }[] = [];

  now(): number {
    return Date.UTC(2030, 0, 1) + this.#nowMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** How long until each timer that is set, the soonest first. */
  get pendingMs(): number[] {
    return this.#timers.map(({ atMs }) => atMs - this.#nowMs).sort((a, b) => a - b);
  }

  /** Lets time pass; timers fire in their order, and what they start runs as far as it can without I/O. */
  async advance(ms: number): Promise<void> {
    await settled();
    const untilMs = this.#nowMs + ms;
    for (let next = this.#next(untilMs); next; next = this.#next(untilMs)) {
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await settled();
    }
    this.#nowMs = untilMs;
    await settled();
  }

  /** Time passes as for a process that is stopped: no timer fires, until time goes on. */
  freeze(ms: number): void {
    this.#nowMs += ms;
  }

  #next(untilMs: number) {
    return this.#timers.filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0];
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
