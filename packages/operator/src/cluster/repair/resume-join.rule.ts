import type { Action } from "../model/action.ts";
import { nameOf } from "../model/members.ts";
import type { PodSeen } from "../model/observation.ts";
import { isOutdatedPod } from "../model/replacement.ts";
import { canDecide, idOf, isStarted, type ListedMember, type Rule, type Situation } from "../model/situation.ts";
import { versionOfNewMember } from "../rollout/versions.rule.ts";

/**
 * A declared member was added, but has no pod: the operator stopped in between. Without learners the cluster may wait for this very
 * pod, so it needs no majority.
 */
export const resumeJoin: Rule = (now) => {
  const { status, seen, listed } = now;
  const joining = listed.find((member) => member.intent?.purpose === "Join" && !isStarted(member));
  if (!status.clusterID || !joining || seen.membership.kind === "unknown") return undefined;
  // A learner without a pod that starts costs nobody anything; a voter may be what the others wait for.
  if (joining.pod) return joining.etcd.isLearner ? undefined : retryStuckJoin(joining.pod, now);
  if (mayHaveRun(joining, now)) return undefined;
  const peers = listed
    .filter(({ name }) => name !== joining.name)
    .map(({ etcd }) => ({ name: nameOf(etcd), peerUrl: etcd.peerUrls[0] ?? "" }));
  return {
    kind: "start-members",
    members: [
      {
        name: joining.name,
        version: versionOfNewMember(now),
        incarnation: joining.intent?.incarnation ?? 1,
        start: { kind: "joining", clusterId: status.clusterID, peers },
      },
    ],
    reason: "JoiningMember",
    message: `${joining.name} has been added and gets its pod`,
  };
};

/** A voter whose only copy of the data went with its pod: among three or more it must not begin again with nothing. */
export function mayHaveRun({ etcd, pod, claim }: ListedMember, { voters }: Situation): boolean {
  return etcd.name === "" && !etcd.isLearner && !pod && !claim && voters.length > 2;
}

/** With a majority the member is removed and another takes its place; without one all that can change is its pod, which has no data. */
function retryStuckJoin(pod: PodSeen, now: Situation): Action | undefined {
  const isOutdated = pod.stage === "pending" && isOutdatedPod(pod, versionOfNewMember(now), now);
  const isStuck = pod.stage === "ended" || isOutdated;
  if (!isStuck || pod.isTerminating || canDecide(now)) return undefined;
  const message = `${pod.name} never started and gets another pod: the cluster waits for it`;
  return { kind: "delete-pods", pods: [idOf(pod)], reason: "JoiningMember", message };
}
