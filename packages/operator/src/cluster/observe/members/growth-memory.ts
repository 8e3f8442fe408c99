import type { AnswerSeen } from "../../model/observation.ts";

interface Looked {
  readonly bytes: number;
  readonly atMs: number;
}

/** How fast databases grow between reconciles. Memory only: after a restart it needs two reconciles. */
export class GrowthMemory {
  readonly #last = new Map<string, Looked>();

  /** Bytes a second of the largest database; 0 while that is not known. */
  learn(key: string, answers: Iterable<AnswerSeen>, atMs: number): number {
    const sizes = [...answers].flatMap(({ status }) => (status ? [status.databaseSizeBytes] : []));
    if (sizes.length === 0) return 0;
    const now = { bytes: Math.max(...sizes), atMs };
    const last = this.#last.get(key);
    this.#last.set(key, now);
    if (!last || atMs <= last.atMs) return 0;
    return Math.max(0, ((now.bytes - last.bytes) / (atMs - last.atMs)) * 1_000);
  }

  forget(key: string): void {
    this.#last.delete(key);
  }
}
