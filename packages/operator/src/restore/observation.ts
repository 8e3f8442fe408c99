import type { RunState } from "@etcd-operator/controller-runtime";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { StoredSnapshot } from "../api/backup/stored-snapshot.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { UnverifiedReason } from "./reasons.ts";

/** Everything that a reconcile of an EtcdRestore knows. Nothing in it changes, and nothing in it leads out of it. */
export interface Observation {
  readonly nowMs: number;
  readonly restore: Stored<EtcdRestore>;
  /** What is wrong with its spec, in words for the user. */
  readonly problems: readonly string[];
  /** The cluster that it names; undefined when there is none. */
  readonly cluster: Stored<EtcdCluster> | undefined;
  /** Others that name the same cluster. */
  readonly others: readonly OtherRestore[];
  readonly runs: Runs;
  /** The first new member's pod, read while the cluster is being restored. */
  readonly seed: SeedSeen | undefined;
  /** What members report; requested when the cluster reports that all is done, or lost. */
  readonly members: readonly MemberSeen[];
}

/** Work that runs outside the reconciles; undefined when it was not started, or by a process that has ended. */
export interface Runs {
  readonly verify: RunState<RunResult, RunProgress> | undefined;
  readonly save: RunState<RunResult, RunProgress> | undefined;
  readonly push: RunState<RunResult, RunProgress> | undefined;
}

/** How a piece of work ended that did not fail. */
export type RunResult =
  | { readonly kind: "verified"; readonly snapshot: StoredSnapshot; readonly modifiedAtMs: number }
  /** The snapshot must not be restored; the message names it, what is wrong and what to do. */
  | { readonly kind: "refused"; readonly reason: UnverifiedReason; readonly message: string }
  /** The time of its verification shows how fresh it is: a large one may have been begun long before. */
  | {
      readonly kind: "saved";
      readonly snapshot: StoredSnapshot;
      readonly verifiedMs: number;
      readonly change: BackupChange | undefined;
    }
  /** There is no member to take a snapshot from. */
  | { readonly kind: "no-member"; readonly why: string; readonly change: BackupChange | undefined }
  | { readonly kind: "pushed" };

/** The backup is not what was verified any more; the message names it, how that shows and what to do. */
export interface BackupChange {
  readonly reason: UnverifiedReason;
  readonly message: string;
}

export interface RunProgress {
  readonly step: string;
  readonly path?: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
  /** Why it had to start again. */
  readonly trouble?: string;
}

export interface OtherRestore {
  readonly name: string;
  readonly uid: string;
  readonly createdMs: number;
  readonly isFinished: boolean;
  /** When it succeeded, if it did. */
  readonly succeededMs: number | undefined;
}

export interface SeedSeen {
  readonly name: string;
  readonly uid: string;
  /** Waits for the snapshot. */
  readonly receive: ContainerSeen;
  /** Makes a data directory of it. */
  readonly restore: ContainerSeen;
  /** The container that ends again and again, if one does. */
  readonly failing: FailingContainer | undefined;
  /** Why it does not get on, in the words of the scheduler or the kubelet. */
  readonly trouble: string | undefined;
}

export type ContainerSeen = "waiting" | "running" | "succeeded" | "failed";

export interface FailingContainer {
  readonly name: string;
  readonly times: number;
  /** How it ended. */
  readonly message: string;
}

export interface MemberSeen {
  readonly isHealthy: boolean;
  readonly isLearner: boolean;
  readonly revision: number;
}
