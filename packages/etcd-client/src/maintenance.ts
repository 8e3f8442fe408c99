import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { EtcdError } from "./etcd-error.ts";
import { type MemberStatus, toMemberStatus } from "./member-status.ts";
import { Auth } from "./protocol/generated/auth_pb.ts";
import {
  AlarmRequest_AlarmAction,
  AlarmType,
  DowngradeRequest_DowngradeAction,
  Maintenance as MaintenanceService,
} from "./protocol/generated/maintenance_pb.ts";

export interface Alarm {
  readonly memberId: bigint;
  readonly kind: "no-space" | "corrupt";
}

export interface KeyValueHash {
  readonly hash: number;
  readonly revision: bigint;
  readonly compactRevision: bigint;
}

export type DowngradeStep = "validate" | "enable" | "cancel";

/** Care of the dialled member and, for alarms, leadership and downgrades, of its cluster. */
export interface Maintenance {
  status(options?: CallOptions): Promise<MemberStatus>;
  alarms(options?: CallOptions): Promise<readonly Alarm[]>;
  disarm(alarm: Alarm, options?: CallOptions): Promise<void>;
  /** Only the leader can do this; others answer "not-leader". */
  moveLeader(toMemberId: bigint, options?: CallOptions): Promise<void>;
  /** Blocks reads and writes of this member until it is done; 60 s unless the options say otherwise. */
  defragment(options?: CallOptions): Promise<void>;
  /** The hash of all keys up to a revision (0n: the newest), the same on every member; 60 s by default. */
  hashKeyValues(revision: bigint, options?: CallOptions): Promise<KeyValueHash>;
  /**
   * `targetVersion` is "3.5"; the answer is the cluster's version. "unsupported" before 3.5. Do not enable it on 3.5,
   * which accepts but has no way to bring its files down to 3.4.
   */
  downgrade(step: DowngradeStep, targetVersion: string, options?: CallOptions): Promise<string>;
  /** "unsupported" before 3.5. */
  isAuthEnabled(options?: CallOptions): Promise<boolean>;
}

const SLOW_CALL_TIMEOUT_MS = 60_000;

const { status, alarm, defragment, hashKV, moveLeader, downgrade } = MaintenanceService.method;

export function maintenance(calls: Calls): Maintenance {
  return {
    async status(options) {
      return toMemberStatus(await calls.unary({ operation: "status", method: status, isRead: true }, {}, options));
    },
    async alarms(options) {
      const call = { operation: "alarms", method: alarm };
      const { alarms } = await calls.unary(call, { action: AlarmRequest_AlarmAction.GET }, options);
      return alarms.flatMap(({ memberID, alarm: type }) => alarmOf(memberID, type));
    },
    async disarm({ memberId, kind }, options) {
      const request = {
        action: AlarmRequest_AlarmAction.DEACTIVATE,
        memberID: memberId,
        alarm: kind === "no-space" ? AlarmType.NOSPACE : AlarmType.CORRUPT,
      };
      await calls.unary({ operation: "disarm", method: alarm }, request, options);
    },
    async moveLeader(toMemberId, options) {
      await calls.unary({ operation: "moveLeader", method: moveLeader }, { targetID: toMemberId }, options);
    },
    async defragment(options) {
      await calls.unary({ operation: "defragment", method: defragment }, {}, slow(options));
    },
    async hashKeyValues(revision, options) {
      const call = { operation: "hashKeyValues", method: hashKV };
      const answer = await calls.unary(call, { revision }, slow(options));
      // Before 3.6 the answer does not say which revision "the newest" was; the header's was read just after.
      const hashed = revision || answer.hashRevision || (answer.header?.revision ?? 0n);
      return { hash: answer.hash, revision: hashed, compactRevision: answer.compactRevision };
    },
    async downgrade(step, targetVersion, options) {
      const request = { action: DOWNGRADE_ACTIONS[step], version: targetVersion };
      return (await calls.unary({ operation: "downgrade", method: downgrade }, request, options)).version;
    },
    async isAuthEnabled(options) {
      const call = { operation: "isAuthEnabled", method: Auth.method.authStatus };
      try {
        return (await calls.unary(call, {}, options)).enabled;
      } catch (error) {
        // Once it is on, even this question wants a user.
        if (error instanceof EtcdError && error.code === "auth") return true;
        throw error;
      }
    },
  };
}

const DOWNGRADE_ACTIONS = {
  validate: DowngradeRequest_DowngradeAction.VALIDATE,
  enable: DowngradeRequest_DowngradeAction.ENABLE,
  cancel: DowngradeRequest_DowngradeAction.CANCEL,
} as const;

function alarmOf(memberId: bigint, type: AlarmType): Alarm[] {
  if (type === AlarmType.NOSPACE) return [{ memberId, kind: "no-space" }];
  if (type === AlarmType.CORRUPT) return [{ memberId, kind: "corrupt" }];
  return [];
}

function slow(options: CallOptions | undefined): CallOptions {
  return { timeoutMs: SLOW_CALL_TIMEOUT_MS, ...options };
}
