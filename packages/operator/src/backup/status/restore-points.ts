import type { RunOutcome } from "../observation.ts";
import { isElsewhere, type Situation, type Status } from "../situation.ts";

type RestorePoint = NonNullable<Status["restorePoints"]>[number];

/** Enough to choose from, and little enough for a status. */
export const MOST_POINTS = 20;

/**
 * What can be restored, as far as this EtcdBackup took it where its spec says now, and has not removed it. The newest
 * first.
 */
export function restorePointsOf(
  now: Situation,
  outcome: RunOutcome | undefined,
): Pick<Status, "restorePoints" | "restorePointsTotal"> {
  const known = isElsewhere(now) ? [] : pointsOf(now.status);
  const before = isElsewhere(now) ? 0 : Math.max(known.length, now.status.restorePointsTotal ?? 0);
  if (outcome?.kind !== "succeeded") return shown(known, before);
  const { snapshot, pruning } = outcome;
  const removed = pruning?.removed ?? [];
  const others = known.filter(({ path }) => path !== snapshot.path && !removed.includes(path));
  const isReplaced = known.some(({ path }) => path === snapshot.path);
  return shown([pointOf(snapshot), ...others], before + (isReplaced ? 0 : 1) - removed.length);
}

function shown(points: readonly RestorePoint[], total: number) {
  if (points.length === 0) return { restorePoints: undefined, restorePointsTotal: undefined };
  const newest = points.slice(0, MOST_POINTS);
  return { restorePoints: newest, restorePointsTotal: Math.max(newest.length, total) };
}

/** An earlier release kept the newest only. */
function pointsOf({ restorePoints, lastBackup }: Status): readonly RestorePoint[] {
  return restorePoints ?? (lastBackup ? [pointOf(lastBackup)] : []);
}

function pointOf({ path, revision, takenAt, sizeBytes }: NonNullable<Status["lastBackup"]>): RestorePoint {
  return {
    path,
    ...(revision !== undefined && { revision }),
    ...(takenAt !== undefined && { takenAt }),
    ...(sizeBytes !== undefined && { sizeBytes }),
  };
}
