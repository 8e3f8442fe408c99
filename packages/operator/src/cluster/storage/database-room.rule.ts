import { quotaAsked, quotaInBytes, roomOnVolume } from "../../api/cluster/quota-fits.ts";
import type { MemberSeen } from "../model/members.ts";
import type { Situation } from "../model/situation.ts";

/** How large the database of a member can get, and what sets the limit. */
export interface DatabaseLimit {
  readonly bytes: number;
  readonly by: "quota" | "volume";
}

export function databaseLimitOf({ pod, claim }: Pick<MemberSeen, "pod" | "claim">, now: Situation): DatabaseLimit {
  const quota = quotaOf(pod?.flags ?? [], now);
  const room = pod?.usesClaim && claim?.storage !== undefined ? roomOnVolume(claim.storage) : undefined;
  return room !== undefined && room < quota ? { bytes: room, by: "volume" } : { bytes: quota, by: "quota" };
}

const QUOTA_FLAG = "--quota-backend-bytes=";

/** That which it runs with, which may be of an earlier spec. */
function quotaOf(flags: readonly string[], { spec }: Situation): number {
  const flag = flags.find((each) => each.startsWith(QUOTA_FLAG))?.slice(QUOTA_FLAG.length);
  return flag === undefined ? quotaAsked({ ...spec, etcd: {} }) : quotaInBytes(Number(flag));
}

/** A warning begins at 80 % and ends below 75 %, so that a database that shrinks and grows around a limit gives one. */
const NEAR = 0.8;
const NOT_NEAR = 0.75;

export function isNearLimit(member: MemberSeen, wasNear: boolean, now: Situation): boolean {
  const size = member.pod?.answer.status?.databaseSizeBytes;
  if (size === undefined) return wasNear;
  return size >= databaseLimitOf(member, now).bytes * (wasNear ? NOT_NEAR : NEAR);
}

/** As fast as a database may grow without our having seen that it does. */
const LIKELY_BYTES_PER_S = 4 * 2 ** 20;
const LEAST_MS = 5_000;

/**
 * How long until the database of a member may be full, and etcd refuse writes: no event reports that. It may grow twice
 * as fast as it was last seen to. Undefined where none answers.
 */
export function untilFullMs(now: Situation): number | undefined {
  const rate = Math.max(LIKELY_BYTES_PER_S, 2 * (now.seen.databaseGrowth ?? 0));
  const left = now.listed.flatMap((member) => {
    const size = member.pod?.answer.status?.databaseSizeBytes;
    // On a full volume etcd ends, which is an event.
    const bytes = quotaOf(member.pod?.flags ?? [], now);
    return size === undefined || !Number.isFinite(bytes) ? [] : [Math.max(0, bytes - size)];
  });
  return left.length === 0 ? undefined : Math.max(LEAST_MS, (Math.min(...left) / rate) * 1_000);
}
