import type { Stored } from "@etcd-operator/kubernetes-client";
import type { StoredSnapshot } from "../api/backup/stored-snapshot.ts";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Seen } from "./runs.ts";

/** Everything that one reconcile of an EtcdBackup knows. */
export interface Observation {
  readonly nowMs: number;
  /** With every default of the spec filled in; the status is what was last written. */
  readonly backup: Stored<EtcdBackup>;
  /** What is wrong with the spec, one line each; then the spec in `backup` is not to be trusted. */
  readonly problems: readonly string[];
  /**
   * Work of this process for it, running or ended and not reported yet; undefined when there is none, or another
   * process did it.
   */
  readonly run: RunSeen | undefined;
  /** The same for drills. */
  readonly drill: DrillSeen | undefined;
}

export type RunSeen = Seen<RunAbout, RunOutcome, RunProgress>;

/** What a run was started for. */
export interface RunAbout {
  /** Of the EtcdBackup: another may have come under its name. */
  readonly uid: string;
  /** As much of the spec as the run depends on; see `wishOf`. */
  readonly request: string;
  readonly startedAtMs: number;
  /** When it was due, or began if it is not a scheduled one. */
  readonly slotMs: number;
  /** When the next one is due; undefined where there is none. */
  readonly nextRunMs: number | undefined;
  /** Of this run, counted from 1. */
  readonly attempt: number;
}

export interface RunProgress {
  readonly step: string;
  readonly path?: string;
  readonly bytes?: number;
  readonly totalBytes?: number;
}

export type RunOutcome = RunSucceeded | RunFailed;

export interface RunSucceeded {
  readonly kind: "succeeded";
  readonly endedAtMs: number;
  readonly verifiedAtMs: number;
  readonly snapshot: StoredSnapshot;
  /** What became of older backups; undefined when all are kept. */
  readonly pruning: Pruning | undefined;
}

export interface Pruning {
  /** Paths of what was removed. */
  readonly removed: readonly string[];
  /** Why not all of them could be. */
  readonly failure?: string;
}

export interface RunFailed {
  readonly kind: "failed";
  readonly endedAtMs: number;
  readonly message: string;
  /** It stays so until a person fixes the cause in the message. */
  readonly needsFix: boolean;
}

export type DrillSeen = Seen<DrillAbout, DrillOutcome, never>;

/** What a drill was started for. */
export interface DrillAbout {
  /** Of the EtcdBackup. */
  readonly uid: string;
  /** As that of a run. */
  readonly request: string;
  readonly startedAtMs: number;
  /** When it was due. */
  readonly slotMs: number;
  /** The backup that is tried, and what is on record of it. */
  readonly snapshot: StoredSnapshot;
}

export type DrillOutcome = (DrillPassed | DrillFailed) & {
  /** When its last attempt began: before, it may have waited for its turn, or for something that passed. */
  readonly begunAtMs?: number;
};

export interface DrillPassed extends DrillFigures {
  readonly kind: "passed";
  readonly endedAtMs: number;
}

export interface DrillFailed extends Partial<DrillFigures> {
  readonly kind: "failed";
  readonly endedAtMs: number;
  /** What was wrong with the backup, or why it could not be determined. */
  readonly message: string;
}

/** What the restored member said. */
export interface DrillFigures {
  readonly revision: number;
  /** Undefined where etcd requires authentication. */
  readonly keys: number | undefined;
  readonly sizeBytes: number;
  /** When it served. */
  readonly servedAtMs: number;
}
