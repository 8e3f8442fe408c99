import { canMoveLeader, handOver } from "../membership/hand-over.rule.ts";
import { recheckSoonMs } from "../model/recheck-soon.ts";
import { isStarted, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { alarmInTheWay, isSettled, outdatedVoters } from "./outdated.rule.ts";
import { hasDataToBringDown, restartOf } from "./restart.rule.ts";
import { downgradeTargetOf, versionStep } from "./version-step.rule.ts";

/**
 * Changes one voter after another to the current spec, followers first. One that is down and outdated comes before all
 * others: it has nothing to lose, and a corrected spec may be what it needs. Those that need another member are the
 * business of scale-up.
 */
export const rollOut: Rule = (now) => {
  const outdated = outdatedVoters(now).filter(({ change }) => change.kind !== "member");
  const stuck = outdated.find((member) => isDown(member) && !hasDataToBringDown(member, now));
  if (stuck && now.voters.every((voter) => voter.name === stuck.name || isSettled(voter))) return restartOf(stuck, now);
  const [next] = [...outdated].sort((a, b) => Number(a.isLeader) - Number(b.isLeader));
  if (!next || isShortOfMembers(now)) return undefined;
  const wait = whyNotNow(now);
  if (wait)
    return {
      kind: "hold",
      ...recheckSoonMs(now),
      reason: "RolloutWaiting",
      message: `Before changing ${next.name}: ${wait}`,
    };
  const handsOver = next.isLeader && now.voters.length > 1 && canMoveLeader(next, now);
  return handsOver ? handOver(next, now, { reason: "RollingOut", because: "is changed next" }) : restartOf(next, now);
};

/** Before and after the members are downgraded one minor, etcd itself needs a request. */
export const setDowngrade: Rule = (now) => {
  const step = versionStep(now);
  switch (step.kind) {
    case "downgrade": {
      const message = `Enabling etcd downgrade to ${step.target}`;
      return whyNotNow(now) || isShortOfMembers(now)
        ? undefined
        : { kind: "set-downgrade", step: "enable", target: step.target, reason: "Downgrading", message };
    }
    case "cancel-downgrade": {
      const message = `Cancelling etcd downgrade to ${step.target}`;
      return { kind: "set-downgrade", step: "cancel", target: step.target, reason: "DowngradeEnded", message };
    }
    default:
      return undefined;
  }
};

/**
 * A member that waits for its successor, or for a downgrade request to etcd, keeps nothing else from being done; but
 * what it waits for is reported.
 */
export const waitToRoll: Rule = (now) => {
  const step = versionStep(now);
  const outdated = outdatedVoters(now);
  const wait = comingOf(now) === undefined ? whyNotNow(now) : undefined;
  if (!wait || (outdated.length === 0 && step.kind !== "downgrade")) return undefined;
  const what =
    step.kind === "downgrade"
      ? `etcd downgrade to ${step.target} is not enabled yet`
      : `Still to be replaced: ${listOf(outdated.map(({ name }) => name))}`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "RolloutWaiting", message: `${what}; ${wait}` };
};

/** A version that cannot be reached keeps nothing else from being done. */
export const refuseVersion: Rule = (now) => {
  const step = versionStep(now);
  if (step.kind !== "refused") return undefined;
  const message = `spec.version '${now.spec.version}' cannot be reached: ${step.why}`;
  return { kind: "hold", ...recheckSoonMs(now), reason: "VersionRefused", message };
};

/**
 * A missing member is replaced before another is stopped: scale-up would never get to it if this waited. And a member
 * that was replaced because it did not start with the new spec is no licence to give that to the next.
 */
export function isShortOfMembers(now: Situation): boolean {
  const { listed, intents, spec } = now;
  const isDeclared = intents.some(({ name }) => !listed.some((member) => member.name === name));
  return (isDeclared || listed.length < spec.size) && downgradeTargetOf(now) === undefined;
}

/**
 * It is reported as not serving, by itself or the kubelet. That we do not reach it is no reason to restart it; where no
 * member is reached any more, another image would never arrive, and only keep it from being replaced.
 */
function isDown({ health, pod }: ListedMember): boolean {
  if (!pod || pod.isReady || health === "healthy") return false;
  return health === "unhealthy" || !pod.isEtcdRunning || pod.trouble !== undefined;
}

/** Why no member may be stopped: one at a time, and only while all others are healthy. */
function whyNotNow(now: Situation): string | undefined {
  const alarm = alarmInTheWay(now);
  if (alarm) return `an alarm is raised (${alarm.kind})`;
  const coming = comingOf(now);
  if (coming !== undefined) return `${coming} is still starting`;
  const unsettled = now.voters
    .filter((member) => !isSettled(member))
    .map(({ name, pod }) => {
      return pod?.trouble ? `${name} (${pod.trouble})` : name;
    });
  return unsettled.length > 0 ? `waiting for ${listOf(unsettled)}` : undefined;
}

function comingOf(now: Situation): string | undefined {
  const { listed, intents } = now;
  const isOnItsWay = (name: string) => canJoin(now) || listed.some((member) => member.name === name);
  const unfinished = listed.find((member) => !isStarted(member) || member.etcd.isLearner);
  return unfinished?.name ?? intents.find(({ name }) => isOnItsWay(name))?.name;
}

/** A member that is only declared cannot join before one has been downgraded. */
function canJoin(now: Situation): boolean {
  return downgradeTargetOf(now) === undefined;
}
