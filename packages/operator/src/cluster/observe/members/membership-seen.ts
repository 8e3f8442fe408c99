import type { CallOptions, Member } from "@etcd-operator/etcd-client";
import { toHex } from "../../model/hex-id.ts";
import type { EtcdMember, MembershipSeen } from "../../model/observation.ts";
import type { Question, Reached } from "./ask-member.ts";

/**
 * The list of members. It is confirmed by a voter that has just read through a majority, and only then gave its
 * list: so the list is as new as the read also from servers before 3.5, which give it from their own copy. A learner
 * gives no list at all.
 */
export async function membershipSeen(reached: readonly Reached[], question: Question): Promise<MembershipSeen> {
  const clusterIds = new Set(reached.map(({ status }) => status.clusterId));
  const [expectClusterId] = clusterIds;
  // While no id is recorded, members of several clusters may respond, and it is unknown which one is meant.
  if (expectClusterId === undefined || clusterIds.size > 1) return { kind: "unknown" };
  const { timeoutMs, signal } = question;
  const options = { timeoutMs, signal, expectClusterId };
  const voters = reached.filter(({ status }) => !status.isLearner);
  const healthy = voters.filter(({ isHealthy }) => isHealthy);
  const confirmed = await firstList(healthy.toSorted(leaderFirst), options);
  if (confirmed) return { kind: "confirmed", members: confirmed };
  const unconfirmed = await firstList(voters.toSorted(newestFirst), { ...options, linearizable: false });
  return unconfirmed ? { kind: "unconfirmed", members: unconfirmed } : { kind: "unknown" };
}

export function leaderFirst(a: Reached, b: Reached): number {
  return Number(isLeader(b)) - Number(isLeader(a));
}

function newestFirst(a: Reached, b: Reached): number {
  return Number(b.status.raftIndex - a.status.raftIndex);
}

function isLeader({ status }: Reached): boolean {
  return status.memberId === status.leaderId;
}

async function firstList(
  members: readonly Reached[],
  options: CallOptions & { linearizable?: boolean },
): Promise<readonly EtcdMember[] | undefined> {
  for (const { client } of members) {
    try {
      return (await client.members(options)).map(etcdMember);
    } catch {
      // It may have gone this moment; another one knows as well.
    }
  }
  return undefined;
}

function etcdMember({ id, name, peerUrls, isLearner }: Member): EtcdMember {
  return { id: toHex(id), name, peerUrls, isLearner };
}
