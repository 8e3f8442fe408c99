import type { Pass } from "@etcd-operator/controller-runtime";
import type { Resource } from "@etcd-operator/kubernetes-client";
import {
  hasCode,
  type KubeObject,
  keyOf,
  type ObjectRef,
  parseTime,
  refOf,
  resources,
  type Stored,
} from "@etcd-operator/kubernetes-client";
import { labelSelector } from "../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { ControllerContext } from "../context/controller-context.ts";
import { judgedObject } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import type { Connect } from "../transfer/snapshot/choose-member.ts";
import { attemptId, isFinal } from "./attempt.ts";
import type { MemberSeen, Observation, OtherRestore, SeedSeen } from "./observation.ts";
import { membersSeen } from "./observe/members-seen.ts";
import { seedSeen } from "./observe/seed-seen.ts";
import { isLossDue } from "./restored-loss.ts";
import type { RestoreRuns } from "./runs.ts";
import { stateOf } from "./situation.ts";
import type { WatchedObjects } from "./watched-objects.ts";

export interface ObserverOptions extends Pick<ControllerContext, "client" | "clock" | "scope"> {
  readonly watched: WatchedObjects;
  readonly runs: RestoreRuns;
  readonly connect?: Connect | undefined;
}

export type Observe = (key: string, pass: Pass, signal: AbortSignal) => Promise<Observation | undefined>;

/** Everything that a reconcile reads. Undefined when the restore does not exist, or belongs to another operator. */
export function createObserver(options: ObserverOptions): Observe {
  return async (key, { mustReadLive }, signal) => {
    const stored = await restoreNow(options, key, mustReadLive, signal);
    if (!stored || !options.scope.covers(stored)) return undefined;
    const { object: restore, problems } = judgedObject("EtcdRestore", stored);
    const cluster = await clusterNow(options, restore, mustReadLive, signal);
    const others = othersOf(options.watched, restore);
    const facts = { nowMs: options.clock.now(), restore, problems, cluster, others };
    const state = stateOf(facts);
    const isUnderWay = !isFinal(restore) && cluster && !cluster.metadata.deletionTimestamp;
    const seed = isUnderWay && state === "Restoring" ? await findSeed(options, restore, cluster, signal) : undefined;
    const areAsked = state === "Done" || (state === "Joining" && isLossDue(cluster, facts.nowMs));
    const members = isUnderWay && areAsked ? await askMembers(options, cluster, signal) : [];
    return { ...facts, seed, members, runs: options.runs.of(key, restore, seed) };
  };
}

async function restoreNow(
  { watched, client }: ObserverOptions,
  key: string,
  isLive: boolean,
  signal: AbortSignal,
): Promise<Stored<EtcdRestore> | undefined> {
  return isLive ? find(client, ownResources.etcdRestores, refOf(key), signal) : watched.restores.cache.get(refOf(key));
}

/**
 * That there is no cluster has consequences, so a cache is not trusted for it: restores and clusters come from
 * different watches.
 */
async function clusterNow(
  { watched, client }: ObserverOptions,
  { metadata, spec }: Stored<EtcdRestore>,
  isLive: boolean,
  signal: AbortSignal,
): Promise<Stored<EtcdCluster> | undefined> {
  const name = spec.etcdCluster?.name;
  if (!name) return undefined;
  const ref = { namespace: metadata.namespace, name };
  const cached = isLive ? undefined : watched.clusters.cache.get(ref);
  const stored = cached ?? (await find(client, ownResources.etcdClusters, ref, signal));
  return stored && judgedObject("EtcdCluster", stored).object;
}

async function find<T extends KubeObject>(
  client: ControllerContext["client"],
  resource: Resource<T>,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  try {
    return await client.get(resource, ref, { signal });
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}

function othersOf({ restores }: WatchedObjects, { metadata, spec }: Stored<EtcdRestore>): readonly OtherRestore[] {
  const name = spec.etcdCluster?.name;
  if (!name) return [];
  return restores.cache
    .byIndex("byCluster", keyOf({ namespace: metadata.namespace, name }))
    .filter((other) => other.metadata.uid !== metadata.uid)
    .map((other) => ({
      name: other.metadata.name,
      uid: other.metadata.uid,
      createdMs: parseTime(other.metadata.creationTimestamp) ?? 0,
      isFinished: isFinal(other),
      succeededMs: other.status?.phase === "Succeeded" ? parseTime(other.status.finishedAt) : undefined,
    }));
}

async function findSeed(
  { client }: ObserverOptions,
  restore: Stored<EtcdRestore>,
  { metadata }: Stored<EtcdCluster>,
  signal: AbortSignal,
): Promise<SeedSeen | undefined> {
  const { namespace, name, uid } = metadata;
  const { items } = await client.list(resources.pods, { namespace, labelSelector: labelSelector(name), signal });
  return seedSeen(items, uid, attemptId(restore));
}

async function askMembers(
  { client, connect }: ObserverOptions,
  cluster: Stored<EtcdCluster>,
  signal: AbortSignal,
): Promise<readonly MemberSeen[]> {
  return membersSeen({ client, connect }, cluster, signal);
}
