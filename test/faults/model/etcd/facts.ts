import type { EtcdErrorCode } from "@etcd-operator/etcd-client";
import type { DataDirectory } from "@etcd-operator/operator/cluster/guard/data-directory.ts";
import type { Entry, MembershipChange } from "./entry.ts";

/** A membership change that was requested. */
export interface ChangeAsked {
  readonly atMs: number;
  readonly clusterId: bigint;
  /** The pod that was asked. */
  readonly via: string;
  readonly kind: MembershipChange["kind"];
  readonly id: bigint | undefined;
  readonly peerUrls: readonly string[];
  readonly isLearner: boolean;
  /** Whether the member that was asked knows learners. */
  readonly knowsLearners: boolean;
  /** Voters that took no part in their cluster when it was asked for. */
  readonly absent: readonly bigint[];
  /** Members that had not started when it was asked for, by their peer URLs. */
  readonly unstarted: readonly string[];
  /** Others that had been asked for and not been answered. */
  readonly underWay: number;
  endedAtMs?: number;
  /** Undefined until it is answered. A change whose answer is an error may have been applied. */
  outcome?: "applied" | EtcdErrorCode;
}

export interface ClusterFormed {
  readonly atMs: number;
  readonly clusterId: bigint;
  readonly how: "bootstrapped" | "restored";
  readonly token: string;
  /** The pods of its initial members, as far as they have started. */
  readonly by: string[];
}

export interface WriteAcknowledged {
  readonly atMs: number;
  readonly clusterId: bigint;
  readonly via: string;
  readonly revision: bigint;
  readonly entry: Entry;
}

export interface ProcessStarted {
  readonly atMs: number;
  readonly pod: string;
  readonly disk: string;
  readonly found: DataDirectory;
  readonly version: string;
  readonly clusterId?: bigint;
  readonly memberId?: bigint;
  readonly outcome: "from-log" | "bootstrapped" | "joined" | "ended";
  readonly why?: string;
  endedAtMs?: number;
  exitCode?: number;
}

/** Everything that happened which a check may want to know, in its order. */
export class EtcdFacts {
  readonly changes: ChangeAsked[] = [];
  readonly clusters: ClusterFormed[] = [];
  readonly writes: WriteAcknowledged[] = [];
  readonly starts: ProcessStarted[] = [];
  /** What must never happen, in words. */
  readonly violations: string[] = [];

  /** Additions that were asked for while a member had not started. */
  get addsBesideUnstarted(): ChangeAsked[] {
    return this.changes.filter(({ kind, unstarted }) => kind === "add-member" && unstarted.length > 0);
  }

  /** Changes that were asked for while another was under way. */
  get overlappingChanges(): ChangeAsked[] {
    return this.changes.filter(({ underWay }) => underWay > 0);
  }
}
