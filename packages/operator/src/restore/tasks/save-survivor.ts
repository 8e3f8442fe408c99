import type { RunContext } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { namespaceOf } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { type ChosenMember, chooseMember } from "../../transfer/snapshot/choose-member.ts";
import { membersOfCluster } from "../../transfer/snapshot/members-of-cluster.ts";
import { SnapshotError } from "../../transfer/snapshot/snapshot-error.ts";
import { describedKey, metadataKey } from "../../transfer/snapshot/snapshot-metadata.ts";
import { takeSnapshot } from "../../transfer/snapshot/take-snapshot.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import type { BackupChange, RunProgress, RunResult } from "../observation.ts";
import { backupChange, type VerifiedBackup } from "./backup-change.ts";
import { type Patience, retrying } from "./retrying.ts";
import { safetyKey, safetyPrefix } from "./safety-key.ts";
import type { Worker } from "./worker.ts";

export interface Saving {
  readonly cluster: Stored<EtcdCluster>;
  /** What is to be restored after that, and should still be what was verified. */
  readonly backup: VerifiedBackup | undefined;
}

/**
 * Saves the most advanced member that responds, which needs no majority. Only when repeatedly no member responds does
 * the restore continue without: a member that responds and cannot be saved would be lost.
 */
export async function saveSurvivor(
  worker: Worker,
  { cluster, backup }: Saving,
  { signal, report }: RunContext<RunProgress>,
): Promise<RunResult> {
  const { clock, random, restore, patience } = worker;
  const patient = patience && { patience };
  const onTrouble = (trouble: string) => report({ step: STEP, trouble });
  const mayPass = (error: unknown) => reasonToGoOn(error) === undefined;
  const takenMs = clock.now();
  report({ step: STEP });
  try {
    const options = { clock, random, signal, onTrouble, mayPass, ...patient };
    return await retrying(() => saveOnce(worker, { cluster, backup }, takenMs, { signal, report }), options);
  } catch (error) {
    const why = reasonToGoOn(error);
    if (why === undefined || signal.aborted) throw error;
    worker.logger.warn(
      { err: error, restore: restore.metadata.name },
      "no safety snapshot could be taken before the restore",
    );
    const look = () => lookAtBackup(worker, backup, signal);
    return { kind: "no-member", why, change: await retrying(look, { clock, random, signal, onTrouble, ...patient }) };
  }
}

async function lookAtBackup(
  { open }: Worker,
  backup: VerifiedBackup | undefined,
  signal: AbortSignal,
): Promise<BackupChange | undefined> {
  if (!backup) return undefined;
  const opened = await open(signal);
  try {
    return await backupChange(opened, backup, signal);
  } finally {
    await opened.close();
  }
}

const STEP = "Checking the members";
/** Long enough for a member that has just been started again. */
const ASKING: Patience = { attempts: 4, firstMs: 1_000 };

/** Undefined for what must not be passed over. */
function reasonToGoOn(error: unknown): string | undefined {
  if (!(error instanceof SnapshotError)) return undefined;
  const isNobody = error.code === "no-member" && error.isTransient;
  // Data that etcd itself reports as corrupt is no reason to continue without the backup.
  return isNobody || error.code === "corrupt-source" ? error.message : undefined;
}

async function saveOnce(
  worker: Worker,
  { cluster, backup }: Saving,
  takenMs: number,
  context: RunContext<RunProgress>,
): Promise<RunResult> {
  const { client, connect, clock, random } = worker;
  const { signal, report } = context;
  const ref = { namespace: namespaceOf(cluster), name: cluster.metadata.name };
  const ask = async () => chooseMember(await membersOfCluster(client, ref, undefined, signal), signal, connect);
  const onTrouble = (trouble: string) => report({ step: STEP, trouble });
  const member = await retrying(ask, { clock, random, signal, onTrouble, patience: ASKING });
  try {
    return await store(worker, { member, backup }, takenMs, context);
  } finally {
    member.close();
  }
}

async function store(
  worker: Worker,
  { member, backup: verified }: Pick<Saving, "backup"> & { readonly member: ChosenMember },
  takenMs: number,
  { signal, report }: RunContext<RunProgress>,
): Promise<RunResult> {
  const { restore, clock, fence, open } = worker;
  const { namespace = "default", name, uid } = restore.metadata;
  const opened = await open(signal);
  try {
    const key = safetyKey(opened.key, restore, takenMs);
    await removeLeftovers(opened, worker, signal);
    const path = opened.pathOf(key);
    const onProgress = (progress: RunProgress) => report({ ...progress, path });
    const backup = { namespace, name, uid };
    const { store, takeDirectly } = opened;
    const request = { member, store, takeDirectly, key, isKeyNew: true, backup, clock, fence, onProgress };
    const { revision, etcdVersion, clusterID, sizeBytes, sha256, takenAt } = await takeSnapshot(request, signal);
    const snapshot = { path, revision, etcdVersion, clusterID, sizeBytes, sha256, takenAt };
    const change = verified && (await backupChange(opened, verified, signal));
    return { kind: "saved", snapshot, verifiedMs: clock.now(), change };
  } finally {
    await opened.close();
  }
}

/** An operator that was killed before the metadata was written leaves an object that would otherwise stay for ever. */
async function removeLeftovers(
  opened: OpenBackupStore,
  { restore, fence }: Worker,
  signal: AbortSignal,
): Promise<void> {
  const { store } = opened;
  const found = await keysUnder(store, safetyPrefix(opened.key, restore), signal);
  for (const key of found) {
    if (describedKey(key) !== undefined || found.includes(metadataKey(key))) continue;
    fence(`removing '${key}'`);
    // What cannot be removed bears no metadata, and so means nothing.
    await store.delete(key, { signal }).catch(() => undefined);
  }
}

async function keysUnder(store: OpenBackupStore["store"], prefix: string, signal: AbortSignal): Promise<string[]> {
  const keys: string[] = [];
  try {
    for await (const { key } of store.list(prefix, { signal })) keys.push(key);
  } catch (error) {
    // Some credentials may write, but not list.
    if (!(error instanceof ObjectStoreError) || error.code !== "access-denied") throw error;
    return [];
  }
  return keys;
}
