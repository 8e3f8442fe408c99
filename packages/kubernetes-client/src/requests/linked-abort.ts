import { onAbort } from "./on-abort.ts";

/** An AbortController that also follows another signal; `unlink` it when done, or it stays on the other's list. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  unlink(): void;
}

// Not AbortSignal.any: what it makes cannot be unlinked, and with a listener stays in memory until the parent fires.
export function linkedAbort(parent: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const unlink = onAbort(parent, () => controller.abort(parent?.reason));
  return { signal: controller.signal, abort: (reason) => controller.abort(reason), unlink };
}
