import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { Stored } from "../../kubernetes/kube-object.ts";

/** Where what still answered is saved: beside the backup, and not where an earlier attempt has saved something. */
export function safetyKey(backupKey: string, { metadata, status }: Stored<EtcdRestore>): string {
  const attempt = status?.observedGeneration ?? 1;
  const which = attempt === 1 ? "" : `_${attempt}`;
  return `${backupKey}_safety_${metadata.uid.slice(0, 8)}${which}`;
}
