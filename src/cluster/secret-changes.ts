import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { Source } from "../controller/source.ts";
import { type Clock, pause } from "../kubernetes/clock.ts";
import { keyOf, type Stored } from "../kubernetes/kube-object.ts";
import { TLS_ROLES, tlsSecretName } from "./tls/secret-roles.ts";

export interface SecretChangesOptions {
  /** All that are looked after. */
  clusters(): readonly Stored<EtcdCluster>[];
  haveChanged(cluster: Stored<EtcdCluster>, signal: AbortSignal): Promise<boolean>;
  readonly clock: Clock;
}

const ROUND_MS = 60_000;
/** Three Secrets each, so the API server is asked some 17 times in a second at most; a round over more than 333 clusters takes longer. */
const LEAST_PAUSE_MS = 180;

/**
 * Wakes clusters whose certificates were changed. Nobody tells of that, as Secrets are neither listed nor watched: all are read by name
 * in a minute, one cluster after the other.
 */
export function secretChanges(options: SecretChangesOptions): Source {
  return (wake) => {
    const end = new AbortController();
    void goRound(options, wake, end.signal);
    return () => end.abort();
  };
}

async function goRound(options: SecretChangesOptions, wake: (key: string) => void, signal: AbortSignal): Promise<void> {
  const { clusters, clock } = options;
  while (!signal.aborted) {
    const due = clusters().filter(hasSecrets);
    if (due.length === 0) await pause(clock, ROUND_MS, signal);
    for (const cluster of due) {
      await pause(clock, Math.max(LEAST_PAUSE_MS, ROUND_MS / due.length), signal);
      if (signal.aborted) return;
      if (await hasChanged(options, cluster, signal)) wake(keyOf(cluster.metadata));
    }
  }
}

/** Who cannot be asked now is asked in the next round. */
async function hasChanged(
  { haveChanged }: SecretChangesOptions,
  cluster: Stored<EtcdCluster>,
  signal: AbortSignal,
): Promise<boolean> {
  return haveChanged(cluster, signal).catch(() => false);
}

function hasSecrets(cluster: EtcdCluster): boolean {
  return TLS_ROLES.some((role) => tlsSecretName(cluster, role) !== undefined);
}
