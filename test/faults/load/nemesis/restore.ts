import { setTimeout as pause } from "node:timers/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { API_VERSION, GROUP } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { insist, type Stage } from "../stage.ts";

const CLAIM = "backups";
const PATIENCE_MS = 180_000;

/**
 * Takes a backup while clients write, lets them go on, and puts the cluster back to it; clients that follow it then
 * have another cluster.
 */
export async function restore(stage: Stage, afterMs: number, signal: AbortSignal): Promise<void> {
  const name = `epoch-${stage.epoch.number}`;
  const revision = await backup(stage, name);
  stage.note(`backup ${name} has revision ${revision}`);
  await pause(afterMs, undefined, { signal }).catch(() => undefined);
  // What was in the backup is known from them.
  await stage.haveSeen(revision);
  // It would take the restored cluster for an intruder; the other clients know better, and write on.
  await stage.stopWitness();
  const old = stage.epoch.clusterId;
  const { client } = stage.world;
  const spec = { etcdCluster: { name: stage.cluster.name }, backupStorageType: "Volume", volume: volumeOf(name) };
  const object = { apiVersion: API_VERSION, kind: "EtcdRestore", metadata: metadataOf(stage, name) };
  await insist(() => client.create(ownResources.etcdRestores, { ...object, spec: spec as EtcdRestore["spec"] }));
  const get = () => client.get(ownResources.etcdRestores, metadataOf(stage, name));
  await succeeded<EtcdRestore>(`restore ${name}`, get);
  const isAnother = async () => {
    const id = await stage.clusterId();
    return id !== old && id;
  };
  const clusterId = await until(isAnother, { what: `another cluster after restore ${name}` });
  stage.recorder.beginEpoch(clusterId, revision);
  for (const witness of stage.witnesses) witness.restoredTo(Number(revision));
  stage.note(`epoch ${stage.epoch.number} begins`);
  await stage.startWitness();
}

async function backup(stage: Stage, name: string): Promise<bigint> {
  const { client } = stage.world;
  const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: metadataOf(stage, CLAIM) } as const;
  await insist(() => client.create(resources.persistentVolumeClaims, { ...claim, spec: storage }));
  const spec = { etcdCluster: { name: stage.cluster.name }, storageType: "Volume", volume: volumeOf(name) };
  const object = { apiVersion: API_VERSION, kind: "EtcdBackup", metadata: metadataOf(stage, name) };
  await insist(() => client.create(ownResources.etcdBackups, { ...object, spec: spec as EtcdBackup["spec"] }));
  const get = () => client.get(ownResources.etcdBackups, metadataOf(stage, name));
  const { lastBackup } = await succeeded<EtcdBackup>(`backup ${name}`, get);
  return BigInt(lastBackup?.revision ?? 0);
}

async function succeeded<Kind extends EtcdBackup | EtcdRestore>(
  what: string,
  get: () => Promise<Stored<Kind>>,
): Promise<NonNullable<Kind["status"]>> {
  let last: Kind["status"];
  const look = async () => {
    last = (await get()).status;
    return last?.succeeded === true && last;
  };
  return until(look, { what: `${what} to succeed`, timeoutMs: PATIENCE_MS, everyMs: 200 }).catch((error: Error) => {
    throw new Error(`${error.message}; its status: ${JSON.stringify(last)}`, { cause: error.cause });
  });
}

function volumeOf(name: string) {
  return { claimName: CLAIM, path: name };
}

function metadataOf({ namespace }: Stage, name: string) {
  return { namespace, name, annotations: { [`${GROUP}/scope`]: "clusterwide" } };
}
