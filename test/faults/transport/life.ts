/**
 * The life of a process that shares ours: once it has crashed, nothing of it reaches another process, and nothing
 * reaches it.
 */
export class Life {
  readonly #end = new AbortController();

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  crash(): void {
    this.#end.abort(new Error("the process has crashed"));
  }

  /** What is awaited, as long as there is a caller that waits. */
  async awaited<Answer>(answer: Promise<Answer>): Promise<Answer> {
    // A failure after the end is not reported.
    answer.catch(() => undefined);
    this.signal.throwIfAborted();
    let leave: () => void = () => undefined;
    const over = new Promise<never>((_, reject) => {
      leave = () => reject(this.signal.reason);
      this.signal.addEventListener("abort", leave, { once: true });
    });
    try {
      return await Promise.race([answer, over]);
    } finally {
      this.signal.removeEventListener("abort", leave);
    }
  }
}
