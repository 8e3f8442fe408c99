import { attempted, calledOff } from "./attempts.ts";
import { type IdleGuard, idleGuard } from "./idle-guard.ts";
import { ObjectStoreError } from "./object-store-error.ts";
import type { StoreTuning } from "./store-settings.ts";

export const IDLE_TIMEOUT_MS = 30_000;

/** A request to a store that may be repeated without harm. */
export interface GuardedCall {
  /** As in "put s3 'bucket/key'". */
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
  readonly tuning: StoreTuning;
  /** What an error of the library at hand means. */
  readonly failure: (error: unknown) => ObjectStoreError;
}

/** Makes the request, with a limit to silence, and again as long as that may help. */
export async function guardedCall<Result>(
  { operation, signal, tuning, failure }: GuardedCall,
  run: (guard: IdleGuard) => Promise<Result>,
): Promise<Result> {
  const once = async () => {
    if (signal?.aborted) throw calledOff(operation);
    const guard = idleGuard(signal, tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
    try {
      return await run(guard);
    } catch (error) {
      throw interrupted(operation, guard, signal) ?? failure(error);
    } finally {
      guard.end();
    }
  };
  return await attempted(once, tuning, signal);
}

/** The error of a request that did not end by itself: whatever the library says then, it is not the reason. */
export function interrupted(
  operation: string,
  guard: IdleGuard,
  signal: AbortSignal | undefined,
): ObjectStoreError | undefined {
  if (signal?.aborted) return calledOff(operation);
  if (!guard.isIdle) return undefined;
  return new ObjectStoreError("unavailable", { operation, message: "the server fell silent; try again later" });
}
