/** What came of the writes of a load. */
export interface WriteReport {
  readonly acknowledged: number;
  /** Given up, after every member was tried again and again. */
  readonly failed: number;
  /** Tries beyond the first of a write. */
  readonly retries: number;
  /** Acknowledged in a second, on average. */
  readonly perSecond: number;
  /** The longest time in which no write was acknowledged. */
  readonly longestGapMs: number;
  /** The longest that one write took, with all its tries. */
  readonly slowestMs: number;
}

/** Counts writes as they end. Times are those of one clock, in milliseconds. */
export class WriteTally {
  #acknowledged = 0;
  #failed = 0;
  #retries = 0;
  #firstAtMs: number | undefined;
  #lastAtMs = 0;
  #longestGapMs = 0;
  #slowestMs = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get failed(): number {
    return this.#failed;
  }

  acknowledge(sentAtMs: number, nowMs: number): void {
    this.#acknowledged += 1;
    this.#slowestMs = Math.max(this.#slowestMs, nowMs - sentAtMs);
    this.#noteGap(nowMs);
  }

  fail(): void {
    this.#failed += 1;
  }

  retry(): void {
    this.#retries += 1;
  }

  /** What there was until now; a gap that has not ended counts as far as it has got. */
  report(nowMs: number): WriteReport {
    if (this.#firstAtMs !== undefined) this.#noteGap(nowMs);
    const seconds = (nowMs - (this.#firstAtMs ?? nowMs)) / 1000;
    return {
      acknowledged: this.#acknowledged,
      failed: this.#failed,
      retries: this.#retries,
      perSecond: seconds > 0 ? this.#acknowledged / seconds : 0,
      longestGapMs: this.#longestGapMs,
      slowestMs: this.#slowestMs,
    };
  }

  #noteGap(nowMs: number): void {
    if (this.#firstAtMs === undefined) this.#firstAtMs = nowMs;
    else this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastAtMs);
    this.#lastAtMs = nowMs;
  }
}
