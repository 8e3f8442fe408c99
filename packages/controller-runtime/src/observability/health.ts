/** Says what is wrong, or nothing. */
export type Check = () => string | undefined;

/** Whether the program is alive and ready, as the sum of what its parts say. */
export class Health {
  readonly #liveness = new Map<string, Check>();
  readonly #readiness = new Map<string, Check>();

  /** A part that cannot go on by itself says so: the kubelet then restarts us. Returns what takes the check away. */
  addLiveness(part: string, check: Check): () => void {
    this.#liveness.set(part, check);
    return () => this.#liveness.delete(part);
  }

  /** A part that is not there yet says so. Returns what takes the check away. */
  addReadiness(part: string, check: Check): () => void {
    this.#readiness.set(part, check);
    return () => this.#readiness.delete(part);
  }

  /** What keeps us from being alive. An answer over HTTP already proves that the event loop runs. */
  get notAlive(): readonly string[] {
    return complaintsOf(this.#liveness);
  }

  get notReady(): readonly string[] {
    return complaintsOf(this.#readiness);
  }
}

function complaintsOf(checks: ReadonlyMap<string, Check>): string[] {
  return [...checks].flatMap(([part, check]) => {
    const complaint = check();
    return complaint === undefined ? [] : [`${part}: ${complaint}`];
  });
}
