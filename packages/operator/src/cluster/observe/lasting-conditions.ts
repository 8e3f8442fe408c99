import type { ConditionSeen } from "@etcd-operator/controller-runtime";
import { isCalm, isToBeSpread } from "../membership/rebalance.rule.ts";
import { placeBehind } from "../membership/stuck-learner.rule.ts";
import { LASTING } from "../model/lasting.ts";
import type { Observation, PodSeen } from "../model/observation.ts";
import { hasHealthyMajority, situationOf } from "../model/situation.ts";
import { givenHash } from "../objects/pod/pod-hash.ts";
import { provablyLost } from "../restore/provable-loss.rule.ts";

/** What something is done about once it has lasted: never by the time alone that a clock of another machine wrote. */
export function lastingConditions(seen: Omit<Observation, "seenFor">): readonly ConditionSeen[] {
  const now = situationOf({ ...seen, seenFor: { ms: () => 0 } });
  const { metadata, status = {} } = seen.cluster;
  const ofCluster = `${metadata.uid} ${status.incarnation ?? 0}`;
  const away = now.members.filter(({ health }) => health !== "healthy");
  const lacking = seen.pods.filter(({ lacksRoom }) => lacksRoom);
  return [
    ...away.flatMap(({ name, pod }) => {
      const since = pod && newsOf(pod, seen);
      const isBusy = pod?.answer.isDefragmenting === true;
      return [{ name: LASTING.away(name), since }, ...(isBusy ? [] : [{ name: LASTING.silent(name), since }])];
    }),
    ...now.learners.flatMap((learner) => {
      const since = placeBehind(learner, now);
      return since === undefined ? [] : [{ name: LASTING.behind(learner.name), since }];
    }),
    ...(hasHealthyMajority(now) ? [] : [{ name: LASTING.noMajority, since: ofCluster }]),
    ...(provablyLost(now).length > 0 ? [{ name: LASTING.majorityLost, since: ofCluster }] : []),
    ...(isToBeSpread(now) && isCalm(now) ? [{ name: LASTING.calm, since: placesOf(seen) }] : []),
    ...seen.pods.filter(({ isTerminating }) => isTerminating).map(({ uid }) => ({ name: LASTING.leaving(uid) })),
    ...lacking.map(({ uid }) => ({ name: LASTING.lacksRoom(uid), since: status.restore?.roomMadeAt ?? "" })),
  ];
}

/** Another pod, or a container that was restarted, is a disturbance. */
function placesOf({ pods }: Pick<Observation, "pods">): string {
  return pods
    .map(({ uid, etcdStartedAtMs }) => `${uid} ${etcdStartedAtMs ?? ""}`)
    .sort()
    .join();
}

/**
 * It was ready since, began to terminate, got another spec, or could only start now: with that a member has its
 * full time again. That its node is lost, and what Kubernetes does about that, is what it has been silent for.
 */
function newsOf(pod: PodSeen, seen: Pick<Observation, "cluster" | "tls" | "pods">): string {
  const isToldToGo = pod.isTerminating && !pod.isEvictedFromNode;
  const given = isToldToGo ? undefined : givenHash(pod, seen);
  const readiness = pod.isMarkedNotReady ? [true, undefined] : [pod.isReady, pod.notReadySinceMs];
  const deletedAtMs = isToldToGo ? pod.deletedAtMs : undefined;
  return [...readiness, deletedAtMs, given, pod.isScheduled, pod.stage === "pending"].join(" ");
}
