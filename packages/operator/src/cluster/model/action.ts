import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { RestoreRequest } from "../../api/restore-request.ts";
import type { ClusterRecord } from "../bootstrap/cluster-record.ts";
import type { LogReached } from "../guard/log-reached.ts";
import type { MetadataPatch } from "../objects/pod/pod-metadata.ts";
import type { Start } from "../objects/pod/start.ts";
import type { ClusterReason } from "../reasons.ts";
import type { RestoreStatus } from "../restore/restoring.rule.ts";
import type { TlsSeen, VersionChange } from "./observation.ts";

/** One step, and why: the reason and the message become the condition, the Event and the log line. */
export type Action = Because & Step;

export interface Because {
  readonly reason: ClusterReason;
  readonly message: string;
}

export type Step =
  /** All is as the spec says. */
  | { readonly kind: "none" }
  /** Nothing may or can be done now; a watch event or the time named wakes us. */
  | { readonly kind: "hold"; readonly recheckAfterMs?: number }
  | WriteObjects
  /** Status only: which members will found the cluster. Refused when a live list shows anything of ours. */
  | { readonly kind: "declare-seeds"; readonly names: readonly string[]; readonly incarnation: number }
  /** Status only: which member comes next. */
  | DeclareJoin
  /** Status only: these members will not come after all. */
  | { readonly kind: "forget-intents"; readonly names: readonly string[]; readonly failed?: string }
  /** Status only: from now on answers of any other cluster count for nothing. */
  | { readonly kind: "record-cluster"; readonly clusterId: string; readonly incarnation: number }
  /**
   * Status only: the cluster whose volumes a deleted EtcdCluster left goes on as this one. Refused when a live look
   * shows otherwise.
   */
  | { readonly kind: "reattach"; readonly clusterId: string; readonly incarnation: number; readonly from: string }
  /**
   * Status only: the members that run without an owner go on as this cluster. Refused when a live look shows otherwise.
   */
  | AdoptOrphans
  /** Writes on claims and pods that they are this EtcdCluster's. */
  | { readonly kind: "take-over"; readonly claims: readonly ObjectId[]; readonly pods: readonly ObjectId[] }
  /** Writes on claims what an EtcdCluster that comes after this one has to know. */
  | { readonly kind: "note-cluster"; readonly claims: readonly ClaimToNote[] }
  | { readonly kind: "align-claims"; readonly claims: readonly ObjectId[]; readonly isOwned: boolean }
  /** Makes the claims and pods of members that are declared, added, or come back. */
  | { readonly kind: "start-members"; readonly members: readonly MemberToStart[] }
  /** Adds a declared member, and makes its claim and pod. */
  | { readonly kind: "add-member"; readonly name: string; readonly asLearner: boolean; readonly version: string }
  /** Writes on claims and pods which members they hold; from then on the guard insists on it. */
  | { readonly kind: "identify-members"; readonly clusterId: string; readonly members: readonly MemberToIdentify[] }
  /** Writes on claims and pods how far logs have got; from then on the guard insists on it. */
  | { readonly kind: "record-logs"; readonly logs: readonly LogToNote[] }
  /** Sets the readiness gates of pods. */
  | { readonly kind: "set-gates"; readonly gates: readonly { readonly pod: ObjectId; readonly isOpen: boolean }[] }
  | { readonly kind: "promote-member"; readonly member: MemberId }
  /** Changes labels and annotations of running pods. */
  | { readonly kind: "patch-pods"; readonly pods: readonly PodToPatch[] }
  | RestartMember
  /** Enables a downgrade of one minor in etcd, or cancels it. */
  | { readonly kind: "set-downgrade"; readonly step: "enable" | "cancel"; readonly target: string }
  /**
   * Makes etcd write on in its log, without changing any data, so that it saves what is in it and need not read it
   * again.
   */
  | { readonly kind: "force-snapshot"; readonly from: number; readonly upTo: number }
  | { readonly kind: "expand-claims"; readonly claims: readonly ObjectId[]; readonly storage: string }
  /** Asks for a backup, which the members wait for before they leave their minor. */
  | { readonly kind: "create-backup"; readonly backup: EtcdBackup }
  | { readonly kind: "move-leader"; readonly from: MemberId; readonly to: MemberId }
  | RemoveMember
  | StopDuplicate
  | { readonly kind: "delete-pods"; readonly pods: readonly ObjectId[] }
  | { readonly kind: "delete-claims"; readonly claims: readonly ObjectId[] }
  /** Status only: a restored cluster replaces the existing objects, which are set aside from now on. */
  | { readonly kind: "begin-restore"; readonly restore: RestoreStatus }
  /** On the request for a restore: that it was done. */
  | { readonly kind: "note-done"; readonly request: RestoreRequest }
  /** Status only: the restore is cancelled, the previous cluster is back, or the restored cluster is complete. */
  | TurnRestore
  | FencePods
  /** Status only: whether all that the members before have acknowledged is in a store. */
  | { readonly kind: "note-saved"; readonly allSaved: boolean }
  /** Gives pods that were stopped for a restore the image that they had. */
  | { readonly kind: "release-pods"; readonly pods: readonly { readonly pod: ObjectId; readonly image: string }[] }
  | DiscardSetAside
  | CreateRestore;

/** Deletes the pod of a member that runs on a copy of another's data, while the other's own pod is there. */
export interface StopDuplicate {
  readonly kind: "stop-duplicate";
  readonly pod: ObjectId;
  /** The pod of the member whose id it uses. */
  readonly twin: ObjectId;
  /** That id. */
  readonly asMember: string;
}

export interface AdoptOrphans {
  readonly kind: "adopt-orphans";
  readonly clusterId: string;
  readonly incarnation: number;
  /** UID of the EtcdCluster that their claims were made for; empty where no claim has it. */
  readonly from: string;
  readonly pods: readonly ObjectId[];
}

export interface DeclareJoin {
  readonly kind: "declare-join";
  readonly name: string;
  /** It leads the members out of this minor: what could ruin that is checked first. */
  readonly leavesMinor?: string | undefined;
}

export interface TurnRestore {
  readonly kind: "turn-restore";
  readonly to: "RollingBack" | "RolledBack" | "Done";
  /** Previous claims stay when it is done, because nothing of them is in a store. */
  readonly isKeeping?: true;
}

/**
 * Stops members of an earlier incarnation and keeps their data: on its claim, or else in the pod, which gets an image
 * without etcd.
 */
export interface FencePods {
  readonly kind: "fence-pods";
  readonly toDelete: readonly ObjectId[];
  readonly toStop: readonly ObjectId[];
}

/** Deletes what was set aside. */
export interface DiscardSetAside {
  readonly kind: "discard-set-aside";
  readonly pods: readonly ObjectId[];
  readonly claims: readonly ObjectId[];
  /**
   * The pod that cannot be scheduled otherwise; the data of the pods to be deleted is in a store. Without one, because
   * the restored cluster is complete.
   */
  readonly noRoomFor?: string;
}

/** Asks for the newest backup to be restored, because these members have lost their data. */
export interface CreateRestore {
  readonly kind: "create-restore";
  readonly restore: EtcdRestore;
  readonly lost: readonly string[];
}

/**
 * Why a member is removed: only one that is not needed any more, or a learner that etcd never promotes, may be removed
 * while it is healthy.
 */
export type Removal = "dead" | "surplus" | "never-started" | "stuck-learner";

export interface PodToPatch extends MetadataPatch {
  readonly pod: ObjectId;
}

/**
 * Takes one member down, on purpose: with another image in its pod, or with its pod, which then returns to the same
 * volume.
 */
export interface RestartMember {
  readonly kind: "restart-member";
  readonly member: MemberId;
  readonly pod: ObjectId;
  readonly change:
    | { readonly kind: "image"; readonly image: string; readonly version: string }
    /** It comes back with the version that it ran, unless another is named. */
    | { readonly kind: "pod"; readonly returnsWith?: VersionChange };
  /** The member leaves this minor for the next: what could ruin that is checked first. */
  readonly leavesMinor: string | undefined;
  /** The member is downgraded to this minor: etcd must have brought its data down first. */
  readonly goesBackTo: string | undefined;
  /** Too few remain without it, and there is no other way. */
  readonly costsMajority: boolean;
}

export interface RemoveMember {
  readonly kind: "remove-member";
  readonly member: MemberId;
  readonly because: Removal;
  /** The same in words, for the Event. */
  readonly why?: string;
  /** Why it never became a voter, where that is how its attempt to join ends. */
  readonly failed?: string;
  /** Other surplus members: each is removed after the one before it, if it can still be spared then. */
  readonly others?: readonly MemberId[];
  /** The member declared in its place, in the same status that reports the removal. */
  readonly successor?: string;
}

export interface WriteObjects {
  readonly kind: "write-objects";
  readonly services: readonly ToWrite<Service>[];
  readonly disruptionBudget?: ToWrite<PodDisruptionBudget>;
}

/** An object as it should be, and as it is where it exists already. */
export interface ToWrite<T extends object> {
  readonly wanted: T;
  readonly present?: Stored<T>;
  /** It has no owner, and gets this one. */
  readonly takesOver?: true;
}

/** Deletions and patches go to this very object and version, or fail. */
export interface ObjectId {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface MemberId {
  readonly name: string;
  readonly id: string;
}

export interface MemberToStart {
  readonly name: string;
  readonly version: string;
  readonly incarnation: number;
  readonly start: Start;
  /** The claim that it comes back to; without one a new claim is made where the spec asks for claims. */
  readonly claim?: ObjectId;
  /** How far its log has got, by our own memory; for one that comes back. */
  readonly logReached?: LogReached;
}

export interface MemberToIdentify {
  readonly memberId: string;
  /** Of the spec that a pod of coreos/etcd-operator is taken over with: what is edited later reaches it too. */
  readonly specHash?: string;
  /** What the pod was asked to run, where its note says something else. */
  readonly version?: string;
  /** The image that was asked for, where admission made another of it and the pod does not say so yet. */
  readonly changedImage?: string;
  /** Likewise, the CAs that a pod without the annotation trusts: it cannot be queried. */
  readonly ca?: TlsSeen["ca"];
  readonly pod?: ObjectId;
  /** Likewise, what a claim without a note was made from. */
  readonly claimHash?: string;
  readonly claim?: ObjectId;
  /** Of the cluster, for the claim. */
  readonly record?: ClusterRecord;
}

export interface ClaimToNote {
  readonly claim: ObjectId;
  readonly record: ClusterRecord;
}

export interface LogToNote {
  readonly reached: LogReached;
  readonly claim?: ObjectId;
  readonly pod?: ObjectId;
}

/** What came of an action. What failed is thrown. */
export type ActionOutcome =
  /** Of members that were to be removed one after the other, so many have not been removed. */
  | { readonly kind: "done"; readonly spared?: number }
  /** etcd or a live look said "not now". Of an action on several objects some may have been changed. */
  | {
      readonly kind: "postponed";
      readonly why: string;
      readonly retryMs: number;
      /**
       * It was written and did not stay, as the answer shows: each next try waits for longer, whatever happens
       * meanwhile.
       */
      readonly isUndone?: true;
      /** What was to be changed does not exist any more. */
      readonly isGone?: true;
      /** The members must not leave their minor until a person fixes the obstacle; anything else can be done. */
      readonly barsMinor?: true;
    };

/** The members that are no longer in etcd's list after an action. */
export function membersRemoved(action: Action, outcome: ActionOutcome): readonly MemberId[] {
  if (action.kind !== "remove-member" || outcome.kind === "postponed") return [];
  const planned = [action.member, ...(action.others ?? [])];
  return planned.slice(0, planned.length - (outcome.spared ?? 0));
}
