import type { ObjectStore } from "@etcd-operator/object-store";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import type { FaultProxy } from "../../objectstore/fault-proxy.ts";

type Blocks = Pick<EtcdBackup["spec"], "s3" | "abs" | "gcs" | "oss" | "volume">;

/** A store that scenarios put backups into: a server of its own where it is a cloud's. */
export interface BackupPlace {
  readonly type: EtcdBackup["spec"]["storageType"];
  /** What has to be in the namespace: a Secret, or a claim. */
  readonly objects: readonly object[];
  /** What must be seen nowhere. */
  readonly canaries: readonly string[];
  /** The blocks of an EtcdBackup that puts a backup under this key. */
  block(key: string): Blocks;
  /** The key of what a status calls by its path. */
  keyAt(path: string): string;
  /** Reads it without the operator; a volume has it in volume-place.ts. */
  open?(): Promise<ObjectStore>;
  /** What an operator needs to find it. */
  readonly operatorEnv?: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The server of a cloud. */
export interface CloudPlace extends BackupPlace {
  open(): Promise<ObjectStore>;
  /** Uploads that were begun and neither completed nor aborted. */
  unfinishedUploads(): Promise<readonly string[]>;
  /** The server no longer takes what is in the Secret; returns the Secret with what it takes instead. */
  expire(): Promise<object>;
  /** Where there are such: a Secret 'token' with an access token, which is good until then. */
  aToken?(): object;
}

/** The same behind a proxy that breaks what the test asks for. Reads of the test bypass the proxy. */
export interface FaultyPlace extends CloudPlace {
  readonly faults: FaultProxy;
}

const NAMESPACE = "default";

export function backupTo(place: BackupPlace, key: string): Pick<EtcdBackup["spec"], "storageType"> & Blocks {
  return { storageType: place.type, ...place.block(key) };
}

export function restoreFrom(place: BackupPlace, key: string): Pick<EtcdRestore["spec"], "backupStorageType"> & Blocks {
  return { backupStorageType: place.type, ...place.block(key) };
}

export function aSecret(name: string, stringData: Readonly<Record<string, string>>): object {
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace: NAMESPACE, name }, stringData };
}

export function aClaim(name: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: NAMESPACE, name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "5Gi" } } },
  };
}
