import type { Clock } from "@etcd-operator/kubernetes-client";

/** What a transfer has to keep to. */
export interface Pace {
  /** So many bytes have to move within each window. */
  readonly leastBytes: number;
  readonly windowMs: number;
  /**
   * How long a store may take after all was read: to send what it has buffered, to complete the upload, to verify.
   * No progress is visible then.
   */
  readonly finishMs: number;
}

/**
 * Stores read ahead by up to 32 MiB and then nothing for as long as that takes, so the least is a fourth of their
 * largest usual part (16 MiB). A transfer of 64 KiB/s is never ended by this: it takes such a part in 256 s, and sends
 * all that it has buffered in 512 s.
 */
export const LEAST_PACE: Pace = { leastBytes: 4 * 2 ** 20, windowMs: 300_000, finishMs: 900_000 };

/** A process that was suspended sees one of them late, and not a window gone by. */
const TICKS = 10;

/** Counts what a transfer moves, and reports once when it is too little. */
export class PaceWatch {
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #onTooSlow: (why: string) => void;
  #phase: "moving" | "finishing" | "over" = "moving";
  #isResting = false;
  #bytes = 0;
  #ticks = 0;
  #cancel = () => {};

  constructor(clock: Clock, pace: Pace, onTooSlow: (why: string) => void) {
    [this.#clock, this.#pace, this.#onTooSlow] = [clock, pace, onTooSlow];
    this.#wait();
  }

  moved(bytes: number): void {
    this.#bytes += bytes;
  }

  /** It is not the transfer that is waited for. */
  rest(): void {
    this.#isResting = true;
  }

  goOn(): void {
    this.#isResting = false;
  }

  /** Everything has been read that is to be stored. */
  allRead(): void {
    if (this.#phase !== "moving") return;
    [this.#phase, this.#ticks] = ["finishing", 0];
    this.#cancel();
    this.#wait();
  }

  end(): void {
    this.#phase = "over";
    this.#cancel();
  }

  get #limitMs(): number {
    return this.#phase === "finishing" ? this.#pace.finishMs : this.#pace.windowMs;
  }

  #wait(): void {
    this.#cancel = this.#clock.after(this.#limitMs / TICKS, () => this.#tick());
  }

  #tick(): void {
    if (!this.#isResting) this.#ticks += 1;
    if (this.#ticks < TICKS || this.#hasKeptPace()) this.#wait();
    else {
      const why = this.#whyTooSlow();
      this.end();
      this.#onTooSlow(why);
    }
  }

  #hasKeptPace(): boolean {
    if (this.#phase !== "moving" || this.#bytes < this.#pace.leastBytes) return false;
    [this.#bytes, this.#ticks] = [0, 0];
    return true;
  }

  #whyTooSlow(): string {
    const seconds = this.#limitMs / 1_000;
    if (this.#phase === "finishing") return `not completed ${seconds} s after the last byte was read`;
    return `${this.#bytes} bytes transferred within ${seconds} s, fewer than ${this.#pace.leastBytes}`;
  }
}
