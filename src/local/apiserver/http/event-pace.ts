/** How much has to happen in how long before clients may be made to wait a moment. */
const WINDOW_MS = 20;
const BUSY_EVENTS = 20;

/** Tells whether so many different events happen that it pays to send several at once: more than about a thousand a second. */
export class EventPace {
  readonly #now: () => number;
  #windowAt = 0;
  #count = 0;
  #countBefore = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  note(): void {
    this.#turn();
    this.#count += 1;
  }

  get isBusy(): boolean {
    this.#turn();
    return Math.max(this.#count, this.#countBefore) >= BUSY_EVENTS;
  }

  #turn(): void {
    const at = Math.floor(this.#now() / WINDOW_MS);
    if (at === this.#windowAt) return;
    this.#countBefore = at === this.#windowAt + 1 ? this.#count : 0;
    this.#count = 0;
    this.#windowAt = at;
  }
}
