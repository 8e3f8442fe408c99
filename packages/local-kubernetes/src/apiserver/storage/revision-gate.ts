interface Waiter {
  readonly revision: bigint;
  readonly settle: (reached: boolean) => void;
}

const ASK_AGAIN_MS = 50;

/** A revision that rises, and those who wait for it. */
export class RevisionGate {
  readonly #askForProgress: () => void;
  readonly #waiters = new Set<Waiter>();
  #revision = 0n;

  /** `askForProgress` asks for an advance of the gate, even when nothing happened. */
  constructor(askForProgress: () => void) {
    this.#askForProgress = askForProgress;
  }

  get revision(): bigint {
    return this.#revision;
  }

  advance(revision: bigint): void {
    if (revision <= this.#revision) return;
    this.#revision = revision;
    for (const waiter of this.#waiters) if (waiter.revision <= revision) waiter.settle(true);
  }

  reset(): void {
    this.#revision = 0n;
  }

  /** False after `timeoutMs`. */
  async reaches(revision: bigint, timeoutMs: number): Promise<boolean> {
    if (this.#revision >= revision) return true;
    return new Promise((resolve) => {
      // A watch that has not caught up yet leaves a question unanswered.
      const asking = setInterval(this.#askForProgress, ASK_AGAIN_MS);
      const late = setTimeout(() => waiter.settle(false), timeoutMs);
      const waiter: Waiter = {
        revision,
        settle: (reached) => {
          clearInterval(asking);
          clearTimeout(late);
          this.#waiters.delete(waiter);
          resolve(reached);
        },
      };
      this.#waiters.add(waiter);
      this.#askForProgress();
    });
  }
}
