import type { EtcdBackup } from "../etcd-backup.ts";
import type { StoredSnapshot } from "./stored-snapshot.ts";

type Spec = EtcdBackup["spec"];

/**
 * The newest verified backup, if it matches the source and the store that the spec names now: both may have been
 * edited since.
 */
export function currentBackup({ spec, status }: Pick<EtcdBackup, "spec" | "status">): StoredSnapshot | undefined {
  const { lastBackup, lastBackupOf } = status ?? {};
  return lastBackupOf === undefined || lastBackupOf === backupPlace(spec) ? lastBackup : undefined;
}

/**
 * What is backed up and to which store, in words. Two backups with the same words belong together; neither the path
 * inside the store nor the credentials matter, except for Azure, where the Secret names the account.
 */
export function backupPlace(spec: Spec): string {
  return `${sourceOf(spec)} in ${storeOf(spec)}`;
}

/** Longer than any real list of endpoints, and shorter than what a status may hold. */
const LONGEST = 2_000;

function sourceOf({ etcdCluster, etcdEndpoints = [] }: Spec): string {
  if (etcdCluster) return `EtcdCluster '${etcdCluster.name}'`;
  const all = etcdEndpoints.toSorted().join(", ");
  return all.length > LONGEST ? `${all.slice(0, LONGEST)}… (${all.length} characters)` : all;
}

function storeOf({ s3, abs, gcs, oss, volume }: Spec): string {
  if (s3) return `S3 bucket '${bucketIn(s3)}'${at(s3)}`;
  if (abs) return `Azure container '${bucketIn(abs)}' of Secret '${abs.absSecret}'`;
  if (gcs) return `GCS bucket '${bucketIn(gcs)}'`;
  if (oss) return `OSS bucket '${bucketIn(oss)}'${at(oss)}`;
  return volume ? `volume '${volume.claimName}'` : "nowhere";
}

function bucketIn({ path }: { readonly path: string }): string {
  return path.slice(0, path.indexOf("/"));
}

function at({ endpoint }: { readonly endpoint?: string | undefined }): string {
  return endpoint ? ` at ${endpoint}` : "";
}
