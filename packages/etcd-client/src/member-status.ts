import type { StatusResponse } from "./protocol/generated/maintenance_pb.ts";

/** What one member says about itself, without asking the others. Absent: its version does not report it. */
export interface MemberStatus {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  readonly version: string;
  /** Undefined while it knows none. */
  readonly leaderId: bigint | undefined;
  readonly isLearner: boolean;
  readonly revision: bigint;
  readonly raftTerm: bigint;
  readonly raftIndex: bigint;
  readonly raftAppliedIndex?: bigint;
  readonly dbSizeBytes: number;
  readonly dbSizeInUseBytes?: number;
  readonly dbQuotaBytes?: number;
  readonly storageVersion?: string;
  /** The version the cluster is being downgraded to, while it is. */
  readonly downgradeTarget?: string;
  readonly errors: readonly string[];
}

// Proto3 does not tell "0" from "not sent"; none of the optional figures can be 0 on a server that reports it.
export function toMemberStatus(status: StatusResponse): MemberStatus {
  return {
    clusterId: status.header?.clusterId ?? 0n,
    memberId: status.header?.memberId ?? 0n,
    version: status.version,
    leaderId: status.leader === 0n ? undefined : status.leader,
    isLearner: status.isLearner,
    revision: status.header?.revision ?? 0n,
    raftTerm: status.raftTerm,
    raftIndex: status.raftIndex,
    ...(status.raftAppliedIndex > 0n && { raftAppliedIndex: status.raftAppliedIndex }),
    dbSizeBytes: Number(status.dbSize),
    ...(status.dbSizeInUse > 0n && { dbSizeInUseBytes: Number(status.dbSizeInUse) }),
    ...(status.dbSizeQuota > 0n && { dbQuotaBytes: Number(status.dbSizeQuota) }),
    ...(status.storageVersion !== "" && { storageVersion: status.storageVersion }),
    ...(status.downgradeInfo?.enabled && { downgradeTarget: status.downgradeInfo.targetVersion }),
    errors: status.errors,
  };
}
