import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { PeriodicBackup } from "./periodic-keys.ts";

/** What to keep; 0 is all. */
export interface Retention {
  readonly maxBackups: number;
  readonly maxAgeMs: number;
}

export function retentionOf({ backupPolicy }: Pick<EtcdBackup["spec"], "backupPolicy">): Retention {
  const { maxBackups = 0, maxAgeInSecond = 0 } = backupPolicy ?? {};
  return { maxBackups, maxAgeMs: maxAgeInSecond * 1000 };
}

/**
 * Which of our verified backups go. They are ordered by revision, then by time. The newest in that order is never among them, nor the one
 * that was taken last: a cluster that was restored may have begun at a lower revision again.
 */
export function outdatedBackups(
  backups: readonly PeriodicBackup[],
  { maxBackups, maxAgeMs }: Retention,
  nowMs: number,
): PeriodicBackup[] {
  const newestFirst = [...backups].sort((a, b) => b.revision - a.revision || b.takenAtMs - a.takenAtMs);
  const lastTakenMs = Math.max(...backups.map(({ takenAtMs }) => takenAtMs));
  return newestFirst.filter(({ takenAtMs }, index) => {
    if (index === 0 || takenAtMs === lastTakenMs) return false;
    return (maxBackups > 0 && index >= maxBackups) || (maxAgeMs > 0 && nowMs - takenAtMs > maxAgeMs);
  });
}
