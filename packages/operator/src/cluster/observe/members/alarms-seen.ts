import type { MemberStatus } from "@etcd-operator/etcd-client";
import { parseVersion } from "@etcd-operator/etcd-client";
import { toHex } from "../../model/hex-id.ts";
import type { AlarmSeen, MembershipSeen } from "../../model/observation.ts";
import type { Question, Reached } from "./ask-member.ts";
import { leaderFirst } from "./membership-seen.ts";

/**
 * The alarms that are raised. etcd writes even the question for them into its log, so it is asked only when a member
 * hints at one; and while a member is awaited, to whom that very entry may be of help.
 */
export async function alarmsSeen(
  reached: readonly Reached[],
  question: Question,
  membership: Promise<MembershipSeen>,
): Promise<readonly AlarmSeen[]> {
  const isHinted = reached.some(({ status }) => mayHaveAlarms(status));
  if (!isHinted && !isSomebodyAwaited(reached, await membership)) return [];
  return ask(reached, question);
}

/**
 * Whether a member of the cluster does not answer. From 3.6 on one that was sent all of its data at once forgets how
 * far in the log that was, and comes up when it gets one entry more: without writes, never. Measured.
 */
function isSomebodyAwaited(reached: readonly Reached[], membership: MembershipSeen): boolean {
  if (membership.kind !== "confirmed" || !reached.some(({ isHealthy }) => isHealthy)) return false;
  const here = reached.map(({ status }) => toHex(status.memberId));
  return membership.members.some(({ id }) => !here.includes(id));
}

async function ask(reached: readonly Reached[], { timeoutMs, signal }: Question): Promise<readonly AlarmSeen[]> {
  // A corrupt cluster may refuse the read that makes a member healthy; any voter with a leader can answer.
  const able = reached.filter(({ status }) => !status.isLearner && status.leaderId !== undefined);
  for (const { client, status } of able.toSorted(healthyFirst)) {
    try {
      const alarms = await client.alarms({ timeoutMs, signal, expectClusterId: status.clusterId });
      return alarms.map(({ memberId, kind }) => ({ memberId: toHex(memberId), kind }));
    } catch {
      // It may have gone this moment; another one knows as well.
    }
  }
  return [];
}

/** From 3.4 on a member's status names its alarms, among other complaints. */
function mayHaveAlarms({ version, errors }: MemberStatus): boolean {
  const parsed = parseVersion(version);
  const tells = parsed !== undefined && (parsed.major > 3 || parsed.minor >= 4);
  return !tells || errors.some((text) => !text.includes("no leader"));
}

function healthyFirst(a: Reached, b: Reached): number {
  return Number(b.isHealthy) - Number(a.isHealthy) || leaderFirst(a, b);
}
