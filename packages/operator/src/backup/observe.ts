import type { Pass } from "@etcd-operator/controller-runtime";
import type { CacheReader, Clock, KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, refOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Scope } from "../context/controller-context.ts";
import { judgedObject } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import type { DrillSeen, Observation, RunSeen } from "./observation.ts";

export interface ObserverOptions {
  readonly client: Pick<KubeClient, "get">;
  readonly backups: Pick<CacheReader<EtcdBackup>, "get">;
  readonly scope: Pick<Scope, "covers">;
  readonly runs: { seen(key: string): RunSeen | undefined };
  readonly drills: { seen(key: string): DrillSeen | undefined };
  readonly clock: Clock;
}

/** All there is to know of an EtcdBackup; undefined when it is gone, or not ours. */
export type Observe = (
  key: string,
  pass: Pick<Pass, "mustReadLive">,
  signal: AbortSignal,
) => Promise<Observation | undefined>;

export function createObserver({ client, backups, scope, runs, drills, clock }: ObserverOptions): Observe {
  return async (key, { mustReadLive }, signal) => {
    const stored = mustReadLive ? await readLive(client, key, signal) : backups.get(refOf(key));
    if (!stored || !scope.covers(stored)) return undefined;
    const { object: backup, problems } = judgedObject("EtcdBackup", stored);
    return { nowMs: clock.now(), backup, problems, run: runs.seen(key), drill: drills.seen(key) };
  };
}

async function readLive(
  client: Pick<KubeClient, "get">,
  key: string,
  signal: AbortSignal,
): Promise<Stored<EtcdBackup> | undefined> {
  try {
    return await client.get(ownResources.etcdBackups, refOf(key), { signal });
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}
