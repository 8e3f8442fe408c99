import { ObjectStoreError } from "@etcd-operator/object-store";
import type { StoredSnapshot } from "../../api/backup/stored-snapshot.ts";
import { readMetadata } from "../../transfer/snapshot/read-metadata.ts";
import type { OpenBackupStore } from "../../transfer/store/open-backup-store.ts";
import type { BackupChange } from "../observation.ts";

/** What was verified, as far as it is still known. */
export interface VerifiedBackup {
  readonly snapshot: StoredSnapshot;
  /** Undefined when it was another process that verified. */
  readonly modifiedAtMs: number | undefined;
}

/**
 * Why the backup is not what was verified; undefined when it is, as far as its metadata shows. Another one may have
 * been written under its key since: found out now it costs nothing, found out by the pod that receives it, after the
 * old members were stopped, it would.
 */
export async function backupChange(
  opened: Pick<OpenBackupStore, "store" | "key" | "pathOf">,
  { snapshot, modifiedAtMs }: VerifiedBackup,
  signal: AbortSignal,
): Promise<BackupChange | undefined> {
  const { store, key } = opened;
  const path = opened.pathOf(key);
  // The snapshot to restore was saved by ourselves, under a key that no other process has.
  if (snapshot.path !== path) return undefined;
  const found = await store.stat(key, { signal }).catch(unlessBlind);
  if (found === "not-told") return undefined;
  if (!found) return { reason: "NotFound", message: `'${path}' was verified, and does not exist any more. ${REMEDY}` };
  const isSame = modifiedAtMs === undefined || found.modifiedAtMs === modifiedAtMs;
  if (found.sizeBytes !== snapshot.sizeBytes || !isSame) return replaced(path);
  const metadata = await readMetadata(store, key, signal);
  return metadata && metadata.sha256 !== snapshot.sha256 ? replaced(path) : undefined;
}

const REMEDY = "Create another EtcdRestore, from a backup that is kept";

function replaced(path: string): BackupChange {
  return { reason: "Replaced", message: `'${path}' was replaced by another object since it was verified. ${REMEDY}` };
}

/** Some credentials may read, but not list. */
function unlessBlind(error: unknown): "not-told" {
  if (error instanceof ObjectStoreError && error.code === "access-denied") return "not-told";
  throw error;
}
