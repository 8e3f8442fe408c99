import { conditionOf } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { type ClusterState, notRunning } from "../model/cluster-state.ts";
import { hasJoined, namesAndWhy } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { isSettled } from "../rollout/outdated.rule.ts";
import { activeRestore } from "./restoring.rule.ts";
import { whileRestoring } from "./while-restoring.status.ts";

type Verdict = ClusterVerdict<"Recovering">;

/** Also how a later pass knows that a cluster which is too small was complete before. */
const MEMBER_MISSING = "MemberMissing";

/** Whether a cluster that was complete is on its way to being so again. */
export function recovering(state: ClusterState): Verdict {
  const { phase, isMajorityLost, voters, now } = state;
  if (isMajorityLost) return no("MajorityLost", "Without quorum no member can be replaced");
  const restoring = whileRestoring(state) ?? whileJoining(state);
  if (restoring) return { isTrue: true, reason: "Restoring", message: restoring };
  const reattaching = whileReattaching(state);
  if (reattaching) return { isTrue: true, reason: "Reattaching", message: reattaching };
  if (phase !== "Running") return notRunning(phase);
  const down = voters.filter((member) => member.health !== "healthy" && hasJoined(member));
  const why = down.length > 0 ? `: ${namesAndWhy(down)}` : "";
  if (isRefilling(state)) {
    const serving = voters.filter(isSettled).length;
    const message = `Replacing a lost member: ${serving} of ${now.spec.size} members serve${why}`;
    return { isTrue: true, reason: MEMBER_MISSING, message };
  }
  if (down.length > 0) return { isTrue: true, reason: "MemberNotHealthy", message: `Waiting for members${why}` };
  return no("NoMemberMissing", "No member is missing");
}

/** Until clients reach the members of a deleted EtcdCluster that this one continues. */
export function whileReattaching({ now, phase, voters }: ClusterState): string | undefined {
  const { reattachedFrom, clusterID } = now.status;
  if (reattachedFrom === undefined || phase !== "Creating") return undefined;
  const healthy = voters.filter((member) => member.health === "healthy").length;
  return `The members of etcd cluster ${clusterID} are restarting with their data: ${healthy} of ${voters.length} are healthy`;
}

/** Until the restored cluster has all its members. */
export function whileJoining({ now }: ClusterState): string | undefined {
  const restore = activeRestore(now.status);
  if (restore?.state !== "Joining") return undefined;
  const count = `${now.voters.length} of ${now.spec.size} members of the restored cluster are voters`;
  return `EtcdRestore ${restore.name}: ${count}; the previous members' data is kept until all of them serve`;
}

/**
 * Whether members are missing that were there before, and not because the user asks for more than there ever were;
 * until the one that comes in place of the last of them serves.
 */
export function isRefilling({ now, old }: ClusterState): boolean {
  const { voters, spec, seen } = now;
  if (seen.problems.length > 0 || voters.length === 0 || voters.length > spec.size) return false;
  const before = conditionOf(old.conditions, "Recovering");
  const wasRefilling = before?.status === "True" && before.reason === MEMBER_MISSING;
  if (voters.length === spec.size) return wasRefilling && voters.some((voter) => isNewcomer(voter, old));
  return votersIn(old) >= spec.size || wasRefilling;
}

/** A voter that has never served clients: it has just been promoted, and the kubelet has yet to find it ready. */
export function isNewcomer(member: MemberSeen, { memberStatus }: EtcdClusterStatus): boolean {
  const served = memberStatus?.find(({ name }) => name === member.name)?.servedPodHash;
  return member.health === "healthy" && served === undefined && !isSettled(member);
}

function votersIn({ memberStatus }: EtcdClusterStatus): number {
  return (memberStatus ?? []).filter(({ id, role }) => id && role !== "Learner").length;
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}
