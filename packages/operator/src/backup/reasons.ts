import type { RecordedEvent, Verdict } from "@etcd-operator/kubernetes-client";
import { eventsBy, explained, HELD_REASONS, type ReasonsOfKind } from "../api/reason.ts";

// Every reason that an EtcdBackup shows. docs/reference/conditions-and-events.md is generated from this file.

const REASONS = {
  ...HELD_REASONS,
  ...explained("none: nothing is wrong", {
    Verified: "The newest backup is in the store and verified.",
    Pending: "No backup has been taken yet.",
    Running: "Taking the backup.",
    Queued: "The backup waits for a free transfer.",
    Scheduled: "The next backup has a time, which is not reached yet.",
    Finished: "Nothing is left to do until the spec is edited.",
    BackupStarted: "The operator starts a backup.",
    BackupSucceeded: "The backup is in the store and verified.",
    BackupPruned: "Old backups were removed as the policy says.",
    DrillStarted: "The newest backup is being restored into a temporary member.",
    DrillSucceeded: "The restored data is the same as the data of the backup.",
  }),
  ...explained("none: the operator does this without help", {
    Retrying: "A backup failed or was interrupted, and is taken again.",
    SpecChanged: "The spec was edited, so a backup or drill for the previous spec is canceled.",
    Deleting: "The EtcdBackup is being deleted, and its backup or drill is canceled.",
    FinalizerAdded: "A periodic EtcdBackup gets a finalizer, so that a running backup ends before the object is gone.",
    FinalizerRemoved: "An EtcdBackup that is no longer periodic needs no finalizer.",
    DrillCanceled: "The rest of an interrupted drill is removed, because no drill is due.",
  }),
  ...explained("backup.md#a-backup-that-failed", {
    AttemptFailed: "The last attempt failed, and there will be another one.",
    NeedsAttention: "The backup fails until you fix what the message says.",
    GaveUp: "All attempts failed, and there will be no other one for this spec.",
    InvalidSpec: "The spec breaks a rule, so no backup is taken.",
    ActionFailed: "The API server refused what the operator tried, or does not answer; it is tried again.",
    BackupFailed: "An attempt failed; the message says why.",
    PruningFailed: "Old backups could not be removed; the new backup is not affected.",
  }),
  ...explained("backup.md#drills", {
    DrillFailed: "The drill did not prove the backup; the message says why.",
  }),
  ...explained("backup.md#from-coreosetcd-operator", {
    TakenByEarlierOperator: "coreos/etcd-operator took the backup, and it was not verified.",
  }),
} as const;

const EVENTS = {
  BackupStarted: "Normal",
  BackupSucceeded: "Normal",
  BackupFailed: "Warning",
  BackupPruned: "Normal",
  PruningFailed: "Warning",
  DrillStarted: "Normal",
  DrillSucceeded: "Normal",
  DrillFailed: "Warning",
  InvalidSpec: "Warning",
  StatusUnreadable: "Warning",
  CRDOutdated: "Warning",
} as const;

const OUTCOME = [
  "Verified",
  "TakenByEarlierOperator",
  "Pending",
  "AttemptFailed",
  "NeedsAttention",
  "GaveUp",
  "InvalidSpec",
] as const;

const CONDITIONS = {
  Succeeded: {
    whenTrue: "The newest backup is in the store and verified.",
    whenFalse: "The backup failed, or the spec is invalid.",
    whenUnknown: "There is no result yet.",
    reasons: OUTCOME,
  },
  Progressing: {
    whenTrue: "A backup is being taken, or will be soon.",
    whenFalse: "Nothing is being done; a periodic EtcdBackup waits for its next time.",
    reasons: [
      "Running",
      "Queued",
      "Retrying",
      "Scheduled",
      "Finished",
      "InvalidSpec",
      "ActionFailed",
      "StatusUnreadable",
    ],
  },
  Complete: {
    whenTrue: "As `Succeeded` `True`; of a periodic EtcdBackup also while the next backup is taken.",
    whenFalse: "As `Succeeded` `False` or `Unknown`.",
    reasons: OUTCOME,
  },
  Failed: {
    whenTrue:
      "As `Succeeded` `False`: six attempts failed, you have to fix something, or the newest periodic backup failed.",
    whenFalse: "As `Succeeded` `True` or `Unknown`.",
    reasons: OUTCOME,
  },
  Ready: { whenTrue: "As `Complete`, for kstatus.", whenFalse: "As `Complete`, for kstatus.", reasons: OUTCOME },
  Stalled: { whenTrue: "As `Failed`, for kstatus.", whenFalse: "As `Failed`, for kstatus.", reasons: OUTCOME },
} as const;

export type BackupReason = keyof typeof REASONS;
export type BackupEvent = RecordedEvent<keyof typeof EVENTS>;
export type BackupVerdict<C extends keyof typeof CONDITIONS> = Verdict<(typeof CONDITIONS)[C]["reasons"][number]>;

export const backupEvent = eventsBy(EVENTS);

export const backupReasons: ReasonsOfKind<BackupReason> = {
  reasons: REASONS,
  conditions: CONDITIONS,
  events: EVENTS,
};
