import { setMaxListeners } from "node:events";

/** Runs something when a signal aborts, at once if it has; returns what calls it off. */
export function onAbort(signal: AbortSignal | undefined, run: () => void): () => void {
  if (!signal) return () => undefined;
  if (signal.aborted) {
    run();
    return () => undefined;
  }
  // One signal stops a whole program, so many listen to it: that is no leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", run, { once: true });
  return () => signal.removeEventListener("abort", run);
}
