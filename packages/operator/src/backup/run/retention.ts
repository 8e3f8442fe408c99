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
 * Which of our verified backups are removed. A restore and a cluster bootstrapped again under the name begin at lower
 * revisions, so revisions are compared only within one etcd cluster. The living one is that of the backup taken last:
 * of it the newest by revision stay, as many as are kept. Until there are so many of it, those of clusters before fill
 * up the number, the newest first; and one of them stays in any case, as the last way back. The newest of the living
 * cluster is never among those that go, nor the one taken last.
 */
export function outdatedBackups(
  backups: readonly PeriodicBackup[],
  { maxBackups, maxAgeMs }: Retention,
  nowMs: number,
): PeriodicBackup[] {
  const lastTakenMs = Math.max(...backups.map(({ takenAtMs }) => takenAtMs));
  const living = backups.find(({ takenAtMs }) => takenAtMs === lastTakenMs)?.clusterID;
  const [ofLiving, ofOthers] = [true, false].map((isWanted) =>
    newestFirst(backups.filter(({ clusterID }) => (clusterID === living) === isWanted)),
  ) as [PeriodicBackup[], PeriodicBackup[]];
  const isOld = ({ takenAtMs }: PeriodicBackup) => maxAgeMs > 0 && nowMs - takenAtMs > maxAgeMs;
  const isBeyond = (index: number, most: number) => maxBackups > 0 && index >= most;
  const mostOfOthers = Math.max(1, maxBackups - ofLiving.length);
  return [
    ...ofLiving.filter((backup, index) => {
      if (index === 0 || backup.takenAtMs === lastTakenMs) return false;
      return isBeyond(index, maxBackups) || isOld(backup);
    }),
    ...ofOthers.filter((backup, index) => isBeyond(index, mostOfOthers) || isOld(backup)),
  ];
}

/** The cluster that was backed up last comes first; within one the revision decides, then the time. */
function newestFirst(backups: readonly PeriodicBackup[]): PeriodicBackup[] {
  const lastOf = new Map<string | undefined, number>();
  for (const { clusterID, takenAtMs } of backups) {
    lastOf.set(clusterID, Math.max(takenAtMs, lastOf.get(clusterID) ?? 0));
  }
  const last = ({ clusterID }: PeriodicBackup) => lastOf.get(clusterID) ?? 0;
  return backups.toSorted((a, b) => last(b) - last(a) || b.revision - a.revision || b.takenAtMs - a.takenAtMs);
}
