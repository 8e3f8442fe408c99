import type { Action } from "../model/action.ts";
import { nameOf } from "../model/members.ts";
import type { PodSeen } from "../model/observation.ts";
import { isOutdatedPod } from "../model/replacement.ts";
import { canDecide, idOf, isStarted, type ListedMember, type Rule, type Situation } from "../model/situation.ts";
import { versionOfNewMember } from "../rollout/versions.rule.ts";

/**
 * A declared member was added, but has no pod: the operator stopped in between. Without learners the cluster may wait
 * for this very pod, so it needs no majority.
 */
export const resumeJoin: Rule = (now) => {
  const { status, seen, listed } = now;
  const joining = listed.find((member) => member.intent?.purpose === "Join" && !isStarted(member));
  if (!status.clusterID || !joining || seen.membership.kind === "unknown") return undefined;
  // A learner whose pod does not start does no harm; a voter may be needed by the others.
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
    message: `Creating the pod of ${joining.name}, which has been added`,
  };
};

/** A voter whose only copy of the data went with its pod: among three or more it must not begin again with nothing. */
export function mayHaveRun({ etcd, pod, claim }: ListedMember, { voters }: Situation): boolean {
  return etcd.name === "" && !etcd.isLearner && !pod && !claim && voters.length > 2;
}

/**
 * With a majority the member is removed and another replaces it; without one all that can change is its pod, which
 * has no data.
 */
function retryStuckJoin(pod: PodSeen, now: Situation): Action | undefined {
  const isOutdated = pod.stage === "pending" && isOutdatedPod(pod, versionOfNewMember(now), now);
  const isStuck = pod.stage === "ended" || isOutdated;
  if (!isStuck || pod.isTerminating || canDecide(now)) return undefined;
  const message = `Replacing pod ${pod.name}, which never started: the cluster waits for it`;
  return { kind: "delete-pods", pods: [idOf(pod)], reason: "JoiningMember", message };
}
