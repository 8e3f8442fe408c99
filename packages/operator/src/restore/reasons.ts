import type { RecordedEvent, Verdict } from "@etcd-operator/kubernetes-client";
import { eventsBy, explained, HELD_REASONS, type ReasonsOfKind } from "../api/reason.ts";

// Every reason that an EtcdRestore shows. docs/reference/conditions-and-events.md is generated from this file.

const REASONS = {
  ...HELD_REASONS,
  ...explained("none: nothing is wrong", {
    Started: "The operator starts with the spec as it is now.",
    Verifying: "The backup is being read and checked.",
    Verified: "The backup was read and is complete.",
    Saving: "The data of a member is being saved before it is replaced.",
    Saved: "The data of a member was saved in the store.",
    Restoring: "The cluster was asked to replace its members; the message names the step.",
    Sending: "The snapshot is being sent to the pod of the first new member.",
    Confirming: "The members are asked whether they have the data of the backup.",
    Restored: "All members serve the data of the backup.",
    Finished: "Nothing is left to do.",
    Succeeded: "The restore has succeeded, and nothing of it is left on the cluster.",
    Failed: "The restore has failed, and nothing of it is left on the cluster.",
  }),
  ...explained("none: the operator does this without help", {
    Deleting: "The EtcdRestore is being deleted; the previous members come back unless clients may have written.",
    Canceling: "The restore cannot succeed, so the cluster is asked to bring the previous members back.",
    WithdrawingRequest: "The request is removed from the cluster, which has not begun.",
  }),
  ...explained("restore.md#a-restore-that-waits", {
    Paused: "The EtcdCluster is paused, so nothing is asked of it.",
    WaitingForOther: "Another EtcdRestore of the same cluster goes first.",
    ActionFailed: "A write fails or takes long; it is tried again.",
    NoMemberAnswers: "No member answers, so nothing could be saved.",
  }),
  ...explained("restore.md#a-restore-that-failed", {
    RestoreFailed: "The restore failed; the message says why and what to do.",
    InvalidSpec: "The spec breaks a rule.",
    NoCluster: "The EtcdCluster does not exist, and there is no template for it.",
    ClusterDeleted: "The EtcdCluster is being deleted, or was deleted.",
    Superseded: "Another EtcdRestore of this cluster came first.",
    QuorumRegained: "This EtcdRestore was created because a majority was lost, and the majority came back.",
    RequestRefused: "The API server refuses the cluster or the request that the spec asks for.",
    StatusLost: "The status of the restored cluster no longer says how far the restore is.",
    QuorumLost: "The restored cluster lost its majority before all members had joined.",
    Canceled: "The restore was canceled, and the previous members are back.",
    NotSaved: "The data of the present members could not be saved, so they are not touched.",
    SeedFailed: "A container of the first new member fails again and again.",
    NotSent: "The snapshot could not be sent to the first new member.",
    Overdue: "A step made no progress for too long.",
  }),
  ...explained("restore.md#a-backup-that-is-refused", {
    NotVerified: "The backup could not be read.",
    NotFound: "There is no backup under that path.",
    Replaced: "The backup was replaced after it had been verified.",
    NoSnapshot: "The object is no snapshot of etcd.",
    OtherCluster: "The backup is not of this cluster, and automatic recovery takes no other.",
    NoHash: "The snapshot has no hash at its end, so it may be incomplete.",
    Damaged: "The bytes of the snapshot do not match its hash.",
    NotAsRecorded: "The snapshot is not the one that was recorded when the backup was taken.",
    OldVersion: "The backup comes from an etcd that is too old for the cluster.",
    NewerVersion: "The backup comes from an etcd that is newer than the cluster.",
    TooLarge: "The snapshot does not fit the volumes of the members.",
  }),
} as const;

const UNVERIFIED = [
  "NotVerified",
  "NotFound",
  "Replaced",
  "NoSnapshot",
  "OtherCluster",
  "NoHash",
  "Damaged",
  "NotAsRecorded",
  "OldVersion",
  "NewerVersion",
  "TooLarge",
] as const;

const GIVEN_UP = ["SeedFailed", "NotSent", "Overdue"] as const;

const FAILURES = [
  ...UNVERIFIED,
  ...GIVEN_UP,
  "InvalidSpec",
  "NoCluster",
  "ClusterDeleted",
  "Superseded",
  "QuorumRegained",
  "RequestRefused",
  "StatusLost",
  "QuorumLost",
  "Canceled",
  "NotSaved",
] as const;

const OUTCOME = [
  "Restored",
  "Started",
  "Verifying",
  "Saving",
  "Restoring",
  "Sending",
  "Confirming",
  "Deleting",
  "Canceling",
  "WithdrawingRequest",
  "Paused",
  "WaitingForOther",
  "ActionFailed",
  "StatusUnreadable",
  ...FAILURES,
] as const;

const CONDITIONS = {
  Restored: {
    whenTrue: "All members serve the data of the backup.",
    whenFalse: "The restore failed, and is not retried until the spec is edited.",
    whenUnknown: "The restore is in progress.",
    reasons: OUTCOME,
  },
  Verified: {
    whenTrue: "The backup was read and is complete.",
    whenFalse: "The backup must not be restored.",
    reasons: ["Verified", ...UNVERIFIED],
  },
  Saved: {
    whenTrue: "The data of a member was saved in the store (`status.safetySnapshot`).",
    whenFalse: "Nothing was saved.",
    reasons: ["Saved", "NoMemberAnswers", "NotSaved"],
  },
  Canceled: {
    whenTrue: "The restore cannot succeed, and is rolled back.",
    whenFalse: "Not used.",
    reasons: GIVEN_UP,
  },
  Complete: {
    whenTrue: "As `Restored` `True`.",
    whenFalse: "As `Restored` `False` or `Unknown`.",
    reasons: OUTCOME,
  },
  Failed: { whenTrue: "As `Restored` `False`.", whenFalse: "As `Restored` `True` or `Unknown`.", reasons: OUTCOME },
  Ready: { whenTrue: "As `Complete`, for kstatus.", whenFalse: "As `Complete`, for kstatus.", reasons: OUTCOME },
  Stalled: { whenTrue: "As `Failed`, for kstatus.", whenFalse: "As `Failed`, for kstatus.", reasons: OUTCOME },
} as const;

const EVENTS = {
  Verified: "Normal",
  NotVerified: "Warning",
  NotFound: "Warning",
  Replaced: "Warning",
  NoSnapshot: "Warning",
  OtherCluster: "Warning",
  NoHash: "Warning",
  Damaged: "Warning",
  NotAsRecorded: "Warning",
  OldVersion: "Warning",
  NewerVersion: "Warning",
  TooLarge: "Warning",
  Saved: "Normal",
  NoMemberAnswers: "Warning",
  Paused: "Normal",
  WaitingForOther: "Normal",
  Restoring: "Normal",
  SeedFailed: "Warning",
  NotSent: "Warning",
  Overdue: "Warning",
  Deleting: "Normal",
  Canceling: "Normal",
  WithdrawingRequest: "Normal",
  Restored: "Normal",
  RestoreFailed: "Warning",
  StatusUnreadable: "Warning",
  CRDOutdated: "Warning",
} as const;

export type RestoreReason = keyof typeof REASONS;
/** Why a snapshot must not be restored. */
export type UnverifiedReason = (typeof UNVERIFIED)[number];
/** Why a restore that has begun cannot succeed. */
export type GiveUpReason = (typeof GIVEN_UP)[number];
export type RestoreEvent = RecordedEvent<keyof typeof EVENTS>;
export type RestoreVerdict = Verdict<RestoreReason>;

export const restoreEvent = eventsBy(EVENTS);

export const restoreReasons: ReasonsOfKind<RestoreReason> = {
  reasons: REASONS,
  conditions: CONDITIONS,
  events: EVENTS,
};
