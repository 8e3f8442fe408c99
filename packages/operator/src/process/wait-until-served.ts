import type { Logger } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { Backoff, type Clock, hasCode, pathOf, pause, type Resource } from "@etcd-operator/kubernetes-client";

const BACKOFF = { firstMs: 50, lastMs: 2_000 };
/** A CRD that was just created needs a moment; only after that is waiting worth a word. */
const QUIET_MS = 1_000;
const REMIND_MS = 30_000;
const REMEDY = "an administrator applies it with `kubectl apply -f deploy/crd`";

export interface WaitUntilServedOptions {
  readonly client: Pick<KubeClient, "request">;
  /** Where the rights to list are sure to be there; all namespaces when absent. */
  readonly namespace: string | undefined;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Waits until kinds can be listed, and says so; returns when they can, or the signal aborts. It asks for the objects
 * and not for the CRDs, because without --create-crd there may be no right to see those.
 */
export async function waitUntilServed(
  kinds: readonly Resource[],
  options: WaitUntilServedOptions,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(kinds.map((kind) => waitForOne(kind, options, signal)));
}

async function waitForOne(kind: Resource, options: WaitUntilServedOptions, signal: AbortSignal): Promise<void> {
  const { clock, logger, random } = options;
  const backoff = new Backoff({ ...BACKOFF, random });
  const tellWaiting = reminder(clock, QUIET_MS);
  const tellFailure = reminder(clock, 0);
  while (!signal.aborted) {
    try {
      if (await isServed(kind, options, signal)) return;
      tellWaiting(() => logger.info(`waiting for the CRD of ${kind.kind}: ${REMEDY}`));
    } catch (error) {
      if (signal.aborted) return;
      tellFailure(() => logger.warn({ err: error }, `could not check whether ${kind.plural} are served`));
    }
    await pause(clock, backoff.nextMs(), signal);
  }
}

async function isServed(
  kind: Resource,
  { client, namespace }: WaitUntilServedOptions,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.request("GET", pathOf(kind, { namespace }), { query: { limit: 1 }, signal });
    return true;
  } catch (error) {
    if (hasCode(error, "not-found")) return false;
    throw error;
  }
}

/** Logs after a moment, and then from time to time. */
function reminder(clock: Clock, quietMs: number): (say: () => void) => void {
  let nextMs = clock.monotonic() + quietMs;
  return (say) => {
    if (clock.monotonic() < nextMs) return;
    nextMs = clock.monotonic() + REMIND_MS;
    say();
  };
}
