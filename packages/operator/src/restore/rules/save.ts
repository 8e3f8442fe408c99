import { messageOf, parseTime } from "@etcd-operator/kubernetes-client";
import type { StoredSnapshot } from "../../api/backup/stored-snapshot.ts";
import type { Action, RecordSaved } from "../action.ts";
import { conditionOf, isTrue } from "../attempt.ts";
import type { BackupChange, Observation } from "../observation.ts";
import type { Situation } from "../situation.ts";
import { needlessInTrouble } from "./still-needed.ts";

/** What was saved longer ago says little of what would be lost now. */
const FRESH_MS = 15 * 60_000;

/**
 * What still answers is saved before anything is asked of the cluster. What another process saved is saved again: it is
 * unknown how long ago it went.
 */
export function save(now: Situation): Action | undefined {
  const { restore, cluster, runs, nowMs } = now.seen;
  if (!cluster || now.isOwnAndEmpty) return undefined;
  const run = runs.save;
  const saving = {
    reason: "Saving",
    message: `Saving a snapshot of a member of EtcdCluster '${cluster.metadata.name}' first`,
  } as const;
  switch (run?.kind) {
    case undefined:
      return { kind: "save", isRepeated: false, ...saving };
    case "queued":
    case "running": {
      const needless = needlessInTrouble(now, run);
      if (needless) return needless;
      const { progress } = run.kind === "running" ? run : {};
      const message = progress?.trouble ?? saving.message;
      return { kind: "hold", reason: "Saving", message, phase: "Saving", ...(progress && { progress }) };
    }
    case "failed":
      return notSaved(`No safety snapshot could be taken, so the cluster is not changed: ${messageOf(run.error)}`);
    case "ended": {
      // Counted from its end: one that takes longer than this would be begun for ever.
      if (run.result.kind === "saved" && nowMs - run.result.verifiedMs > FRESH_MS) {
        return { kind: "save", isRepeated: true, ...saving };
      }
      const action = record(restore, cluster, run.result);
      return action.kind === "record-saved" && isRecorded(restore, action) ? undefined : action;
    }
  }
}

type Restore = Observation["restore"];
type Result = Extract<Observation["runs"]["save"], { kind: "ended" }>["result"];

function isRecorded(restore: Restore, { safetySnapshot, snapshot }: RecordSaved): boolean {
  const { status } = restore;
  if (conditionOf(restore, "Saved")?.status !== (safetySnapshot ? "True" : "False")) return false;
  const isSaved = !safetySnapshot || status?.safetySnapshot?.path === safetySnapshot.path;
  return isSaved && status?.snapshot?.path === snapshot.path;
}

function record(restore: Restore, cluster: NonNullable<Observation["cluster"]>, result: Result): Action {
  const backup = backupOf(restore);
  if (result.kind === "no-member") {
    const message = `No safety snapshot was taken, because no member responds: ${result.why}`;
    const snapshot = backup ?? savedBefore(restore);
    if (!snapshot) return notSaved(`${conditionOf(restore, "Verified")?.message}; and no member survives. ${message}`);
    if (snapshot === backup && result.change) return changed(result.change);
    return { kind: "record-saved", reason: "NoMemberAnswers", message, safetySnapshot: undefined, snapshot };
  }
  if (result.kind !== "saved") throw new TypeError(`saving cannot end in '${result.kind}'`);
  const survivor = newerOf(savedBefore(restore), result.snapshot);
  const isPreferred = restore.spec.preferNewerSurvivor && isNewer(survivor, backup, cluster);
  const saved = `Safety snapshot saved as '${survivor.path}', revision ${survivor.revision}`;
  const message = isPreferred ? `${saved}; restoring it, because the backup is not newer` : saved;
  const snapshot = isPreferred || !backup ? survivor : backup;
  if (snapshot === backup && result.change) return changed(result.change);
  // What an earlier attempt saved may lie in another store: it stays on record, but is not what is restored.
  const safetySnapshot = snapshot === survivor ? survivor : newerOf(restore.status?.safetySnapshot, survivor);
  return { kind: "record-saved", reason: "Saved", message, safetySnapshot, snapshot };
}

/** Once a survivor's snapshot is to be restored, it replaces the backup: it is not newer than itself. */
function backupOf(restore: Restore): StoredSnapshot | undefined {
  const { snapshot } = restore.status ?? {};
  return isTrue(restore, "Verified") && snapshot?.path !== savedBefore(restore)?.path ? snapshot : undefined;
}

/** What this very attempt has on record, perhaps from a process that is gone. */
function savedBefore({ status }: Restore): StoredSnapshot | undefined {
  const [takenMs, begunMs] = [parseTime(status?.safetySnapshot?.takenAt), parseTime(status?.startedAt)];
  const isOwn = takenMs !== undefined && begunMs !== undefined && takenMs >= begunMs;
  return isOwn ? status?.safetySnapshot : undefined;
}

/** A member that responds later may have less data: one that was ahead is lost by then. */
function newerOf(before: StoredSnapshot | undefined, now: StoredSnapshot): StoredSnapshot {
  return before && isOneLineage(before, now) && revisionOf(before) > revisionOf(now) ? before : now;
}

/**
 * Revisions of two clusters say nothing about each other. The cluster's own data is newer than any backup of the
 * previous one; for a foreign one that is unknown.
 */
function isNewer(
  survivor: StoredSnapshot,
  backup: StoredSnapshot | undefined,
  { status }: NonNullable<Observation["cluster"]>,
): boolean {
  if (backup && !isOneLineage(survivor, backup)) return backup.clusterID === status?.restore?.previousClusterID;
  return revisionOf(survivor) >= revisionOf(backup);
}

/** Also where one does not record its cluster. */
function isOneLineage({ clusterID: one }: StoredSnapshot, { clusterID: other }: StoredSnapshot): boolean {
  return one === undefined || other === undefined || one === other;
}

function revisionOf(snapshot: StoredSnapshot | undefined): number {
  return snapshot?.revision ?? 0;
}

/** What was saved stays; it may be of use. */
function changed({ reason, message }: BackupChange): Action {
  return { kind: "fail", reason, message: `${message}. Nothing was changed`, shows: "Verified" };
}

function notSaved(message: string): Action {
  return { kind: "fail", reason: "NotSaved", message, shows: "Saved" };
}
