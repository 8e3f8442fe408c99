import type { Source } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { type Clock, keyOf, type ObjectRef, pause, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { TLS_ROLES, tlsSecretName } from "./secret-roles.ts";
import { SecretWatches } from "./secret-watches.ts";

export interface SecretChangesOptions {
  /** All that are looked after. */
  clusters(): readonly Stored<EtcdCluster>[];
  haveChanged(cluster: Stored<EtcdCluster>, signal: AbortSignal): Promise<boolean>;
  readonly client: Pick<KubeClient, "watch">;
  readonly clock: Clock;
}

const ROUND_MS = 60_000;
/**
 * Three Secrets each, so the API server is asked some 17 times in a second at most; a round over more than 333 clusters
 * takes longer.
 */
const LEAST_PAUSE_MS = 180;

/**
 * Secrets that are changed together are checked together, and one that is written all the time not more often than
 * this.
 */
const TOGETHER_MS = 2_000;

/**
 * Wakes clusters whose certificates were changed. All are read by name in a minute, one cluster after the other; and
 * where the operator may watch them by name, a change is seen at once.
 */
export function secretChanges(options: SecretChangesOptions): Source {
  return (wake) => {
    const end = new AbortController();
    const changed = (ref: ObjectRef) => void wakeThoseWith(ref);
    const watches = new SecretWatches({ ...options, changed });
    const due = new Set<string>();
    void goRound(options, watches, wake, end.signal);
    return () => end.abort();

    async function wakeThoseWith(ref: ObjectRef): Promise<void> {
      const affected = options
        .clusters()
        .filter((cluster) => secretsOf(cluster).some((each) => keyOf(each) === keyOf(ref)));
      await Promise.all(affected.map(wakeSoon));
    }

    async function wakeSoon(cluster: Stored<EtcdCluster>): Promise<void> {
      const key = keyOf(cluster.metadata);
      if (due.has(key)) return;
      due.add(key);
      await pause(options.clock, TOGETHER_MS, end.signal);
      due.delete(key);
      if (!end.signal.aborted && (await hasChanged(options, cluster, end.signal))) wake(key);
    }
  };
}

async function goRound(
  options: SecretChangesOptions,
  watches: SecretWatches,
  wake: (key: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clusters, clock } = options;
  while (!signal.aborted) {
    const due = clusters().filter((cluster) => secretsOf(cluster).length > 0);
    watches.keepOnly(due.flatMap(secretsOf), signal);
    if (due.length === 0) await pause(clock, ROUND_MS, signal);
    for (const cluster of due) {
      await pause(clock, Math.max(LEAST_PAUSE_MS, ROUND_MS / due.length), signal);
      if (signal.aborted) return;
      if (await hasChanged(options, cluster, signal)) wake(keyOf(cluster.metadata));
    }
  }
}

/** A Secret that cannot be read now is read in the next round. */
async function hasChanged(
  { haveChanged }: SecretChangesOptions,
  cluster: Stored<EtcdCluster>,
  signal: AbortSignal,
): Promise<boolean> {
  return haveChanged(cluster, signal).catch(() => false);
}

function secretsOf(cluster: Stored<EtcdCluster>): ObjectRef[] {
  const { namespace } = cluster.metadata;
  return TLS_ROLES.flatMap((role) => {
    const name = tlsSecretName(cluster, role);
    return name === undefined ? [] : [{ namespace, name }];
  });
}
