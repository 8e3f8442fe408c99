import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type {
  DrillSeen,
  Observation,
  RunFailed,
  RunSeen,
  RunSucceeded,
} from "@etcd-operator/operator/backup/observation.ts";
import { wishOf } from "@etcd-operator/operator/backup/situation.ts";
import { judgedObject } from "@etcd-operator/operator/objects/judged-object.ts";

export const NOW_MS = Date.UTC(2030, 0, 15, 10, 0, 0);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export interface BackupGiven {
  readonly policy?: EtcdBackup["spec"]["backupPolicy"];
  readonly spec?: object;
  readonly metadata?: Partial<Stored<EtcdBackup>["metadata"]>;
  readonly status?: EtcdBackup["status"];
}

/**
 * For tests: the EtcdBackup `nightly` in the namespace `prod`, of a cluster and to a bucket; and whatever the case is
 * about.
 */
export function anEtcdBackup({ policy, spec = {}, metadata = {}, status }: BackupGiven = {}): Stored<EtcdBackup> {
  return {
    apiVersion: "etcd.database.coreos.com/v1beta2",
    kind: "EtcdBackup",
    metadata: {
      name: "nightly",
      namespace: "prod",
      uid: "uid-1",
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: "2030-01-01T00:00:00Z",
      ...metadata,
    },
    spec: {
      etcdCluster: { name: "example" },
      storageType: "S3",
      s3: { path: "bucket/etcd/nightly" },
      ...(policy && { backupPolicy: policy }),
      ...spec,
    },
    ...(status && { status }),
  } as Stored<EtcdBackup>;
}

export interface SeenGiven extends BackupGiven {
  readonly nowMs?: number;
  /** Judged when absent. */
  readonly problems?: readonly string[];
  readonly run?: RunSeen | undefined;
  readonly drill?: DrillSeen | undefined;
}

/** What a reconcile sees of it. */
export function aBackupSeen({ nowMs = NOW_MS, problems, run, drill, ...given }: SeenGiven = {}): Observation {
  const judged = judgedObject("EtcdBackup", anEtcdBackup(given));
  return { nowMs, backup: judged.object, problems: problems ?? judged.problems, run, drill };
}

/** A run of the EtcdBackup in the picture. */
export function aRun(
  given: SeenGiven = {},
  run: Partial<RunSeen["about"]> & { state?: RunSeen["state"] } = {},
): RunSeen {
  const { state = { kind: "running", progress: { step: "Streaming the snapshot" } }, ...about } = run;
  const { backup, nowMs } = aBackupSeen(given);
  return {
    about: {
      uid: backup.metadata.uid,
      request: wishOf(backup.spec),
      startedAtMs: nowMs,
      slotMs: nowMs,
      nextRunMs: undefined,
      attempt: 1,
      ...about,
    },
    state,
  };
}

export function succeeded(given: Partial<RunSucceeded> = {}): RunSucceeded {
  return {
    kind: "succeeded",
    endedAtMs: NOW_MS,
    verifiedAtMs: NOW_MS,
    snapshot: {
      path: "bucket/etcd/nightly",
      revision: 42,
      etcdVersion: "3.5.30",
      clusterID: "c1",
      sizeBytes: 20_512,
      sha256: "ab",
      takenAt: "2030-01-15T09:59:58Z",
    },
    pruning: undefined,
    ...given,
  };
}

export function failed(given: Partial<RunFailed> = {}): RunFailed {
  return { kind: "failed", endedAtMs: NOW_MS, message: "the store does not answer", needsFix: false, ...given };
}
