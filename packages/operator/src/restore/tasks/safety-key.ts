import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../../api/etcd-restore.ts";

/**
 * Where what still answered is saved: beside the backup, and not where anything was saved before. An attempt saves
 * again when its operator is started again, and the member that responds then may have less.
 */
export function safetyKey(backupKey: string, restore: Stored<EtcdRestore>, takenMs: number): string {
  const attempt = restore.status?.observedGeneration ?? 1;
  const which = attempt === 1 ? "" : `_${attempt}`;
  const stamp = new Date(takenMs).toISOString().slice(0, 19).replace("T", "-");
  return `${safetyPrefix(backupKey, restore)}${which}_${stamp}`;
}

/** What begins so was saved for this restore, in whatever attempt. */
export function safetyPrefix(backupKey: string, { metadata }: Stored<EtcdRestore>): string {
  return `${backupKey}_safety_${metadata.uid.slice(0, 8)}`;
}
