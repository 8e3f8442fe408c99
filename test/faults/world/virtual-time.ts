import { syncBuiltinESMExports } from "node:module";
import { type Clock as FakeTimers, install } from "@sinonjs/fake-timers";

const realImmediate = setImmediate;

// Everything in the world runs on promises and ticks, so a turn of the event loop is enough for all that can happen at
// one moment; streams need another.
const QUIET_TURNS = 3;

/** Time that passes only when nothing else can happen, for everything in this process: timers and dates alike. */
export class VirtualTime {
  readonly #timers: FakeTimers;
  readonly #startMs: number;

  /** Given how much has happened so far, settles only when that number stands still. */
  activity: () => number = () => 0;

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#startMs = startMs;
    const toFake = ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"] as const;
    this.#timers = install({ now: startMs, toFake: [...toFake] });
    // Named imports of node:timers/promises are bindings of their own.
    syncBuiltinESMExports();
  }

  get elapsedMs(): number {
    return this.#timers.now - this.#startMs;
  }

  /** Lets happen what happens at this moment. */
  async settle(): Promise<void> {
    for (let quiet = 0, seen = this.activity(); quiet < QUIET_TURNS; quiet += 1) {
      await new Promise((resolve) => realImmediate(resolve));
      const now = this.activity();
      if (now !== seen) quiet = 0;
      seen = now;
    }
  }

  /** Goes from timer to timer until something holds; false when it does not within the limit. */
  async until(holds: () => boolean, limitMs: number): Promise<boolean> {
    const endMs = this.elapsedMs + limitMs;
    for (;;) {
      await this.settle();
      if (holds()) return true;
      if (this.elapsedMs >= endMs || this.#timers.countTimers() === 0) return false;
      this.#timers.next();
    }
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.elapsedMs + ms;
    const reached = { is: false };
    setTimeout(() => {
      reached.is = true;
    }, ms);
    await this.until(() => reached.is || this.elapsedMs >= endMs, ms + 1);
  }

  [Symbol.dispose](): void {
    this.#timers.uninstall();
    syncBuiltinESMExports();
  }
}
