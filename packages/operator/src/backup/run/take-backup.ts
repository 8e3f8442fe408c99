import type { Fence } from "@etcd-operator/controller-runtime";
import type { Clock, KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { StoredSnapshot } from "../../api/backup/stored-snapshot.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import { API_VERSION } from "../../api/group.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { type ChosenMember, type Connect, chooseMember } from "../../transfer/snapshot/choose-member.ts";
import { findOrigin } from "../../transfer/snapshot/origin.ts";
import { putInPlace } from "../../transfer/snapshot/put-in-place.ts";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import type { SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";
import { takeSnapshot } from "../../transfer/snapshot/take-snapshot.ts";
import { expectStillOurs } from "../../transfer/still-ours.ts";
import { expectAnswer } from "../../transfer/store/expect-answer.ts";
import { keyAt } from "../../transfer/store/key-at.ts";
import type { BackupStoreRequest, OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import type { Trust } from "../../transfer/trust/trust.ts";
import type { Waiting } from "../../transfer/volume/free-claim.ts";
import type { Pruning, RunProgress, RunSucceeded } from "../observation.ts";
import { rhythmOf } from "../rhythm.ts";
import { parsePeriodicKey, periodicKey } from "./periodic-keys.ts";
import { prune } from "./prune.ts";
import { retentionOf } from "./retention.ts";
import { isTaken, removeStaged, stagingKey } from "./staging.ts";

export interface BackupDeps {
  readonly client: Pick<KubeClient, "get" | "list">;
  readonly openStore: (request: BackupStoreRequest, signal: AbortSignal) => Promise<OpenBackupStore>;
  readonly trust: Trust;
  readonly clock: Clock;
  readonly fence: Fence;
  /** For tests, whose members do not listen where pods do. */
  readonly connect?: Connect | undefined;
}

export interface Job {
  /** As it was when the run was started, and valid. */
  readonly backup: Stored<EtcdBackup>;
  readonly report: (progress: RunProgress) => void;
  /** Resolves when what is reported is in the status. */
  readonly recorded: (progress: RunProgress, signal: AbortSignal) => Promise<void>;
  /** Waits until it may stream, for that takes memory; returns what ends its turn. At once when absent. */
  readonly turn?: () => Promise<() => void>;
  /** Waits for a volume that others use. */
  readonly waiting?: Waiting;
}

const OPENING = "Opening the store";

/**
 * Takes one backup: from the members to a verified object in the store, and then removes backups that need not be
 * kept.
 */
export async function takeBackup(deps: BackupDeps, job: Job, signal: AbortSignal): Promise<RunSucceeded> {
  const { clock } = deps;
  job.report({ step: OPENING });
  const opened = await deps.openStore(storeRequest(job), signal);
  try {
    await expectAnswer(opened, signal);
    const leave = await job.turn?.();
    const { key, metadata } = await store(deps, job, opened, signal).finally(leave);
    const pruning = await pruneAfter(deps, job, opened, signal);
    return {
      kind: "succeeded",
      endedAtMs: clock.now(),
      verifiedAtMs: Date.parse(metadata.verifiedAt),
      snapshot: snapshotOf(metadata, opened.pathOf(key)),
      pruning,
    };
  } finally {
    await opened.close();
  }
}

/**
 * An operator that was killed between the end of the stream and the metadata leaves an object that would otherwise
 * stay for ever.
 */
async function removeLeftover(deps: BackupDeps, { backup }: Job, opened: OpenBackupStore, signal: AbortSignal) {
  const path = backup.status?.progress?.path;
  const key = path && keyAt(opened, path);
  if (!key || !parsePeriodicKey(opened.key, key) || (await readMetadata(opened.store, key, signal))) return;
  await expectUnchanged(deps, backup, signal);
  deps.fence(`removing '${key}'`);
  await opened.store.delete(key, { signal });
}

async function store(deps: BackupDeps, job: Job, opened: OpenBackupStore, signal: AbortSignal) {
  const { metadata, spec } = job.backup;
  await removeLeftover(deps, job, opened, signal);
  const namespace = namespaceOf(job.backup);
  job.report({ step: "Checking the members" });
  const origin = await findOrigin(deps, { namespace, spec }, signal);
  const member = await chooseMember(origin, signal, deps.connect);
  try {
    const key = keyFor(job.backup, opened.key, member, deps.clock.now());
    const path = opened.pathOf(key);
    // Nothing else leads to an object of a new name, were this process killed before its metadata is there.
    if (key !== opened.key) await job.recorded({ step: "Requesting a snapshot", path }, signal);
    const { uid } = metadata;
    // What lies there may be the last good backup: it is replaced only by one that was verified.
    const place = (await isTaken(opened.store, key, signal)) ? stagingKey(key, uid, deps.clock.now()) : key;
    const request = {
      member,
      store: opened.store,
      takeDirectly: opened.takeDirectly,
      key: place,
      isKeyNew: true,
      backup: { namespace, name: metadata.name, uid: metadata.uid },
      clock: deps.clock,
      fence: deps.fence,
      onProgress: (progress: RunProgress) => job.report({ ...progress, path }),
    };
    const taken = await takeSnapshot(request, signal);
    if (place !== key) {
      await putInPlace({ ...request, from: place, to: key, metadata: taken }, signal);
      await removeStaged(opened.store, { key, uid, newest: place }, signal);
    }
    return { key, metadata: taken };
  } finally {
    member.close();
  }
}

function keyFor({ spec }: EtcdBackup, key: string, { status }: ChosenMember, nowMs: number): string {
  return rhythmOf(spec).kind === "once" ? key : periodicKey(key, Number(status.revision), nowMs);
}

async function pruneAfter(
  deps: BackupDeps,
  { backup, report }: Job,
  { store, key, pathOf }: OpenBackupStore,
  signal: AbortSignal,
): Promise<Pruning | undefined> {
  const retention = retentionOf(backup.spec);
  const isPeriodic = rhythmOf(backup.spec).kind !== "once";
  if (!isPeriodic || (retention.maxBackups === 0 && retention.maxAgeMs === 0)) return undefined;
  report({ step: "Removing old backups" });
  const whose = { namespace: namespaceOf(backup), name: backup.metadata.name };
  const { clock, fence } = deps;
  const unchanged = (stop: AbortSignal) => expectUnchanged(deps, backup, stop);
  return prune({ store, key, retention, backup: whose, nowMs: clock.now(), pathOf, fence, unchanged }, signal);
}

/**
 * Read past the cache before anything is deleted from a store: what is kept is for this operator and this spec to say,
 * or for others.
 */
async function expectUnchanged({ client }: BackupDeps, backup: Stored<EtcdBackup>, signal: AbortSignal): Promise<void> {
  const { metadata } = await expectStillOurs(client, ownResources.etcdBackups, backup, signal);
  const isSame = metadata.generation === backup.metadata.generation && metadata.deletionTimestamp === undefined;
  if (!isSame) throw new Error(`EtcdBackup ${metadata.name} was edited or deleted during the run`);
}

function storeRequest({ backup, report, waiting }: Job): BackupStoreRequest {
  const { name, uid } = backup.metadata;
  return {
    namespace: namespaceOf(backup),
    owner: { apiVersion: API_VERSION, kind: "EtcdBackup", name, uid },
    spec: backup.spec,
    ...(waiting && {
      waiting: async (what, wait) => {
        const result = await waiting(what, wait);
        report({ step: OPENING });
        return result;
      },
    }),
  };
}

function snapshotOf(metadata: SnapshotMetadata, path: string): StoredSnapshot {
  const { revision, etcdVersion, clusterID, sizeBytes, sha256, takenAt } = metadata;
  return { path, revision, etcdVersion, clusterID, sizeBytes, sha256, takenAt: rfc3339(Date.parse(takenAt)) };
}

function namespaceOf({ metadata }: Pick<EtcdBackup, "metadata">): string {
  return metadata.namespace ?? "default";
}
