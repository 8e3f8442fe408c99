import type { SeenFor } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Service } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { ClusterRecord } from "../bootstrap/cluster-record.ts";
import type { LogPlace, LogReached } from "../guard/log-reached.ts";
import type { Refusal } from "../guard/refusal.ts";
import type { Stalled } from "./stalls.ts";

/**
 * All that one reconcile knows, read at one moment. Ids of members and clusters are in hexadecimal, as etcdctl prints
 * them.
 */
export interface Observation {
  readonly nowMs: number;
  /** Before members were asked anything, by the clock that only ever grows: no answer is older. */
  readonly askedAtMs?: number;
  /**
   * How long this process has seen what lasts, by the clock that only ever grows: what cannot be undone waits for that.
   */
  readonly seenFor: SeenFor;
  /** With every default of the spec filled in; the status is what was last written. */
  readonly cluster: Stored<EtcdCluster>;
  /** What is wrong with the spec, one line each. */
  readonly problems: readonly string[];
  /**
   * Which fields that are; the spec in `cluster` then has stand-ins for them. Absent: nothing in it is to be trusted.
   */
  readonly invalidFields?: readonly string[];
  readonly objects: OwnedObjects;
  /** Pods that this cluster owns. */
  readonly pods: readonly PodSeen[];
  /** Claims that were made for this cluster. */
  readonly claims: readonly ClaimSeen[];
  /** Claims with members' data that a deleted EtcdCluster of this name left; in none of the other lists. */
  readonly retained?: readonly ClaimSeen[];
  /**
   * Pods of a cluster of this name that lost their owner, and what their members answer; in none of the other lists.
   */
  readonly orphans?: readonly PodSeen[];
  /** What a restore replaces, in none of the other lists. */
  readonly setAside: SetAside;
  /** What the leader of the cluster before says once it is the only one left of it; undefined at any other time. */
  readonly lastStanding?: LastStanding | undefined;
  readonly strangers: Strangers;
  readonly membership: MembershipSeen;
  readonly alarms: readonly AlarmSeen[];
  /** How fast the largest database has grown since the last look, in bytes a second; absent while that is not known. */
  readonly databaseGrowth?: number;
  /**
   * How far logs have certainly got on the members' disks, by their ids, as far as they have reported it to this
   * operator; those that are away, too.
   */
  readonly savedLogs?: ReadonlyMap<string, LogReached>;
  /** What the certificates that the spec names are worth; undefined when it names none. */
  readonly tls: TlsSeen | undefined;
  /** The snapshot that is taken before members leave their minor; undefined when none is needed now. */
  readonly upgradeBackup: UpgradeBackupSeen | undefined;
  /** What a restore of the newest backup would need; undefined when none is needed now. */
  readonly recovery?: RecoverySeen | undefined;
  /** Actions of this process that came to nothing so far: what they keep waiting is done before their next try. */
  readonly stalled?: readonly Stalled[];
  /** Why the members must not leave their minor, once a reconcile has found out. */
  readonly minorBarred?: string;
  /** The nodes as they were some minutes ago; absent where they may not be read. */
  readonly nodes?: readonly NodeSeen[] | undefined;
  /** What moving a member away from a crowded node or zone needs to know; absent unless that may be done. */
  readonly spread?: SpreadSeen | undefined;
  /** Names for members to come, never used before; as many as a cluster can have. */
  readonly freshNames: readonly string[];
}

export interface SpreadSeen {
  /** How many members have come for it since the node or the zone has been crowded. */
  readonly attempts: number;
  /** Absent until all has been well for long enough, and where they cannot be read. */
  readonly nodes?: readonly NodeSeen[];
  readonly isBackupRunning?: boolean;
  /** Why nodes could not be read. */
  readonly why?: string;
}

export interface NodeSeen {
  readonly name: string;
  /** Absent where the node names none. */
  readonly zone?: string;
  /** Ready, neither cordoned nor tainted against members, and one that they may choose. */
  readonly isUsable: boolean;
}

export type UpgradeBackupSeen =
  /** The EtcdBackup that the spec names is not there. */
  | { readonly kind: "no-template"; readonly name: string }
  | { readonly kind: "missing"; readonly name: string; readonly template: EtcdBackup }
  | { readonly kind: "running"; readonly name: string }
  | { readonly kind: "succeeded"; readonly name: string }
  | { readonly kind: "failed"; readonly name: string; readonly why: string };

/** Of the kinds that other controllers look after. */
export interface RecoverySeen {
  readonly backupName: string;
  /** Undefined when there is none of that name. */
  readonly backup: EtcdBackup | undefined;
  readonly restoreName: string;
  /** The EtcdRestore of this incarnation, if it has been made. */
  readonly restore: EtcdRestore | undefined;
  /** Why neither could be read. */
  readonly why?: string;
}

export interface LastStanding {
  readonly name: string;
  readonly answer: AnswerSeen;
  /** As it knows them. */
  readonly membership: MembershipSeen;
}

/** Pods and claims of earlier incarnations, while a restore is under way. */
export interface SetAside {
  readonly pods: readonly SetAsidePod[];
  readonly claims: readonly ClaimSeen[];
}

/** Its member is not queried, and its data is kept: in it, if it uses no claim. */
export interface SetAsidePod extends PodSeen {
  /** Whether a process of etcd may run in it, as far as the kubelet has said. */
  readonly mayRun: boolean;
  /**
   * Its pod was stopped, and admission or another client has given it an image of etcd since, or one of which nothing
   * is known.
   */
  readonly hasEtcdAgain?: true;
}

export interface OwnedObjects {
  readonly peerService: ObjectSeen<Service>;
  readonly clientService: ObjectSeen<Service>;
  readonly disruptionBudget: ObjectSeen<PodDisruptionBudget>;
}

export type ObjectSeen<T extends object> =
  | { readonly kind: "missing" }
  | { readonly kind: "ours"; readonly object: Stored<T> }
  /** As ours would be, but without an owner. */
  | { readonly kind: "orphaned"; readonly object: Stored<T> }
  /**
   * It has another owner, under the name that ours would have; or it is of a deleted EtcdCluster of this name, and
   * about to be deleted.
   */
  | { readonly kind: "foreign"; readonly isLeftover?: true };

/** What carries the labels of this cluster and is not its own. */
export interface Strangers {
  /** Pods of a deleted cluster of the same name, which the garbage collector has not deleted yet. */
  readonly leftoverPods: readonly string[];
  /** Foreign pods; they may get our clients' connections. */
  readonly foreignPods: readonly string[];
  /** Those of both kinds that are ready: Kubernetes counts them for the disruption budget of this cluster. */
  readonly readyPods?: readonly string[];
}

export interface PodSeen {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAtMs: number;
  /** "ended" is for good: such a pod never runs again. */
  readonly stage: "pending" | "running" | "ended";
  readonly isTerminating: boolean;
  /** When its deletion was requested; undefined while it was not. */
  readonly deletedAtMs: number | undefined;
  /**
   * Kubernetes deleted it because of its node, which does not report, is gone or tainted. That gives a member nothing
   * new.
   */
  readonly isEvictedFromNode?: true;
  readonly isScheduled: boolean;
  /** Where it was scheduled to. */
  readonly nodeName?: string;
  /** The kubelet of its node has taken it up, and may be pulling its images. */
  readonly isAccepted?: true;
  /** When the first process of etcd in it started; absent before, and once the container has been restarted. */
  readonly etcdStartedAtMs?: number;
  /** Whether a process of etcd runs in it, as the kubelet says. */
  readonly isEtcdRunning: boolean;
  /** Whether it was given another image, and no process of it has started yet; until then the old one may answer. */
  readonly awaitsNewImage: boolean;
  readonly ip: string | undefined;
  readonly isReady: boolean;
  /** When it last stopped being ready, or was made if it never was; undefined while it is. */
  readonly notReadySinceMs: number | undefined;
  /** Not its kubelet reports that it is not ready: Kubernetes marked it so because its node stopped reporting. */
  readonly isMarkedNotReady?: true;
  /** The readiness gate for voters; "absent" on pods of coreos/etcd-operator, which have none. */
  readonly gate: "absent" | "open" | "closed";
  /** What the operator wrote on it: the version with the image, from which it is read where its own note was edited. */
  readonly version: string | undefined;
  readonly isVersionMisnoted?: true;
  readonly specHash: string | undefined;
  /** Of the etcd container. */
  readonly image: string | undefined;
  /** The image that the operator asked for when it last wrote one; absent on pods of earlier releases. */
  readonly askedImage?: string;
  /** Admission answered with another image than that. */
  readonly isImageChangedByAdmission?: true;
  /** Of the etcd container, without its program. */
  readonly flags: readonly string[];
  /** Whether its probes ask for `/livez`, which not every version has. */
  readonly asksForLivez: boolean;
  readonly metadata: PodMetadata;
  readonly incarnation: number | undefined;
  /** Written once the member has joined. */
  readonly memberId: string | undefined;
  readonly clusterId: string | undefined;
  /** Whether its data lies on the claim of its name; else it is deleted with the pod. */
  readonly usesClaim: boolean;
  /** Why the guard did not let etcd start. */
  readonly refusal: Refusal | undefined;
  /** Why the kubelet or the scheduler cannot run it, in their words. */
  readonly trouble: string | undefined;
  /** What takes long in its start, in the kubelet's words. */
  readonly progress?: string;
  /** Since when the scheduler has found no node for it; absent when that is not its trouble. */
  readonly unschedulableSinceMs?: number;
  /** The scheduler names what another pod may hold: a place beside none of its kind, a port, a resource. */
  readonly lacksRoom?: true;
  /** The image that it had before it was stopped for a restore. */
  readonly fencedImage?: string;
  /** Absent unless its data comes from a snapshot that is brought to it. */
  readonly restoring?: RestoringSeen;
  /** How far its log had got when that was last written on it. */
  readonly logReached?: LogReached;
  readonly answer: AnswerSeen;
}

export interface RestoringSeen {
  /** Of the EtcdRestore. */
  readonly uid: string;
  /** The tool did not make a data directory of the snapshot; what it left of one keeps it from trying again. */
  readonly hasFailed: boolean;
  /** The pod was made, but not yet what it and the operator know each other by. */
  readonly lacksSecret: boolean;
}

/** What the user wants to have on a pod, as far as it is there. */
export interface PodMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Keys that came from the spec, and are ours to remove. */
  readonly applied: { readonly labels: readonly string[]; readonly annotations: readonly string[] };
  /** Values that were asked for and that admission changed: asking for them again would change nothing. */
  readonly changedByAdmission?: Pick<PodMetadata, "labels" | "annotations">;
}

export interface ClaimSeen {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isTerminating: boolean;
  /** Whether it is deleted with the cluster. */
  readonly isOwned: boolean;
  readonly incarnation: number | undefined;
  /** Which member's data lies on it, once the member has joined. */
  readonly memberId: string | undefined;
  readonly clusterId: string | undefined;
  /** What it was made from; absent on those of coreos/etcd-operator. */
  readonly claimHash: string | undefined;
  /** What its member was taken down for, if that was another version. */
  readonly returnsWith: VersionChange | undefined;
  /** How much storage it asks for. */
  readonly storage: string | undefined;
  /** How far the log of its member had got when that was last written on it. */
  readonly logReached?: LogReached;
  /** Its labels, by which its cluster finds it, were edited; a pod of its member runs on it. */
  readonly lacksLabels?: true;
  /** It has no volume yet. */
  readonly isUnbound?: true;
  /** It was bound to a volume that does not exist any more. */
  readonly hasLostVolume?: true;
  /** What it records of the cluster of its member. */
  readonly record?: ClusterRecord | undefined;
  /** Its member was about to be removed. */
  readonly isLeaving?: true;
  /** UID of the deleted EtcdCluster that it was made for; absent on those of this one. */
  readonly madeFor?: string | undefined;
}

export interface VersionChange {
  readonly from: string;
  readonly to: string;
}

export type Health = "healthy" | "unhealthy" | "unknown";

/**
 * What a member said when asked. "healthy": it reads through a majority, or as a learner it names the leader that a
 * healthy voter names, too.
 */
export interface AnswerSeen {
  readonly health: Health;
  /** Why it is not healthy, or could not be asked. */
  readonly why?: string;
  /** Absent when it did not answer, or belongs to another cluster than the recorded one. */
  readonly status?: AnsweredStatus;
  /** The id of another cluster, which answered in its place. */
  readonly otherClusterId?: string;
  /** The id of another member of this cluster than its pod says, which answered in its place. */
  readonly otherMemberId?: string;
  /** It answers nothing but its metrics, because its database is being defragmented. */
  readonly isDefragmenting?: true;
  /** It said nothing at all in the time that it was given. */
  readonly isSilent?: true;
  /** It answers none but etcd's users. */
  readonly isForUsers?: true;
}

export interface AnsweredStatus {
  readonly clusterId: string;
  readonly memberId: string;
  readonly version: string;
  readonly leaderId: string | undefined;
  readonly isLearner: boolean;
  readonly revision: number;
  readonly databaseSizeBytes: number;
  /** How far in the log it has got; not reported before 3.4. */
  readonly appliedIndex?: number;
  /** The last entry that it has applied; before 3.4, or knows to be agreed on. */
  readonly log?: LogPlace;
  /** The version that the cluster is being brought down to, while it is. */
  readonly downgradeTarget?: string;
}

export interface EtcdMember {
  readonly id: string;
  /** Empty until it has started once. */
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
}

export type MembershipSeen =
  /** A majority agreed on it a moment ago. */
  | { readonly kind: "confirmed"; readonly members: readonly EtcdMember[] }
  /** One member's own copy: there is no majority to ask, and it may be behind. */
  | { readonly kind: "unconfirmed"; readonly members: readonly EtcdMember[] }
  | { readonly kind: "unknown" };

/** What a Secret holds, by fingerprints; undefined what cannot be parsed. */
export interface TlsSecretSeen {
  readonly use: "Peer" | "Server" | "Operator";
  readonly name: string;
  readonly certificate?: string | undefined;
  readonly authorities?: readonly string[] | undefined;
}

export interface TlsSeen {
  readonly secrets?: readonly TlsSecretSeen[];
  /**
   * What is wrong with them, whichever members run, one line each. What keeps members from being started is
   * `tlsDefects`.
   */
  readonly defects: readonly string[];
  /** What will stop working soon. */
  readonly expiring: readonly string[];
  /** The authorities that members which start now trust, in the form that is written on their pods. */
  readonly ca: { readonly peer: string | undefined; readonly server: string | undefined };
  /**
   * The authorities, by their identity, of which each alone would make a listener trust the certificate that comes to
   * it; absent where there is none that can be read.
   */
  readonly vouchers?: Readonly<Partial<Record<"peer" | "server", readonly string[]>>>;
}

export interface AlarmSeen {
  readonly memberId: string;
  readonly kind: "no-space" | "corrupt";
}
