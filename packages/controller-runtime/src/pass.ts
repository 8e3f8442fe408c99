import type { Clock } from "@etcd-operator/kubernetes-client";
import { linkedAbort } from "@etcd-operator/kubernetes-client";
import type { Logger } from "./observability/logger.ts";
import type { Outcome } from "./outcome.ts";
import type { WriteLog } from "./own-writes.ts";

/** What a pass gets beside its key and its signal. */
export interface Pass {
  /** The caches do not show all that we wrote: whatever a write depends on has to be read from the API server. */
  readonly mustReadLive: boolean;
  /** Every write goes in here; a TrackedClient sees to it. */
  readonly writes: WriteLog;
  readonly logger: Logger;
}

/** Brings one object closer to what it should be. Throws on failure, and then gets its key again after a pause. */
export type Reconcile = (key: string, signal: AbortSignal, pass: Pass) => Promise<Outcome>;

export type PassResult =
  | { readonly kind: "ended"; readonly outcome: Outcome }
  | { readonly kind: "failed"; readonly error: unknown }
  /** The program ends, so it does not matter what came of it. */
  | { readonly kind: "abandoned" };

export interface PassLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
}

/** A pass that went on for too long; everything it waited for was aborted. */
export class PassTimeout extends Error {
  override readonly name = "PassTimeout";
  readonly code = "pass-timeout";
}

/** Runs one pass under a deadline. */
export async function runPass(
  run: (signal: AbortSignal) => Promise<Outcome>,
  { clock, timeoutMs }: PassLimits,
  signal: AbortSignal,
): Promise<PassResult> {
  const abort = linkedAbort(signal);
  const late = new PassTimeout(`the reconcile took longer than ${timeoutMs} ms`);
  const cancel = clock.after(timeoutMs, () => abort.abort(late));
  try {
    return { kind: "ended", outcome: await run(abort.signal) };
  } catch (error) {
    if (signal.aborted) return { kind: "abandoned" };
    return { kind: "failed", error: abort.signal.reason === late ? timedOut(late, error) : error };
  } finally {
    cancel();
    abort.unlink();
  }
}

function timedOut(late: PassTimeout, cause: unknown): PassTimeout {
  return Object.assign(late, { cause });
}
