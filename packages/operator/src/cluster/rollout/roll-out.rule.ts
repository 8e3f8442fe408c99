import { canMoveLeader, handOver } from "../membership/hand-over.rule.ts";
import { recheckSoonMs } from "../model/recheck-soon.ts";
import { isStarted, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { alarmInTheWay, isSettled, outdatedVoters } from "./outdated.rule.ts";
import { hasDataToBringDown, restartOf } from "./restart.rule.ts";
import { downgradeTargetOf, versionStep } from "./version-step.rule.ts";

/**
 * Brings one voter after another to what the spec says, followers first. One that is down and outdated goes before all others: it has
 * nothing to lose, and a corrected spec may be what it needs. Those that need another member are the business of scale-up.
 */
export const rollOut: Rule = (now) => {
  const outdated = outdatedVoters(now).filter(({ change }) => change.kind !== "member");
  const stuck = outdated.find((member) => isDown(member) && !hasDataToBringDown(member, now));
  if (stuck && now.voters.every((voter) => voter.name === stuck.name || isSettled(voter))) return restartOf(stuck, now);
  const [next] = [...outdated].sort((a, b) => Number(a.isLeader) - Number(b.isLeader));
  if (!next || isShortOfMembers(now)) return undefined;
  const wait = whyNotNow(now);
  if (wait)
    return { kind: "hold", ...recheckSoonMs(now), reason: "RolloutWaiting", message: `${next.name} is next; ${wait}` };
  const handsOver = next.isLeader && now.voters.length > 1 && canMoveLeader(next, now);
  return handsOver ? handOver(next, now, { reason: "RollingOut", because: "is next" }) : restartOf(next, now);
};

/** Before and after the members go back one minor, etcd itself has to be told. */
export const setDowngrade: Rule = (now) => {
  const step = versionStep(now);
  switch (step.kind) {
    case "downgrade": {
      const message = `etcd is told that its members go back to ${step.target}`;
      return whyNotNow(now) || isShortOfMembers(now)
        ? undefined
        : { kind: "set-downgrade", step: "enable", target: step.target, reason: "Downgrading", message };
    }
    case "cancel-downgrade": {
      const message = `etcd need not keep its data at ${step.target} any longer`;
      return { kind: "set-downgrade", step: "cancel", target: step.target, reason: "DowngradeEnded", message };
    }
    default:
      return undefined;
  }
};

/**
 * Who waits until another member can take its place, or until etcd can be told to go back, keeps nothing else from being done; but what
 * it waits for is told.
 */
export const waitToRoll: Rule = (now) => {
  const step = versionStep(now);
  const outdated = outdatedVoters(now);
  const wait = comingOf(now) === undefined ? whyNotNow(now) : undefined;
  if (!wait || (outdated.length === 0 && step.kind !== "downgrade")) return undefined;
  const what =
    step.kind === "downgrade"
      ? `etcd has yet to be told that its members go back to ${step.target}`
      : `Yet to be replaced: ${listOf(outdated.map(({ name }) => name))}`;
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
 * Who is missing comes before anybody is taken down: scale-up would never get to it if this waited. And a member that was replaced
 * because it did not come up with what it was given is no licence to give it to the next.
 */
export function isShortOfMembers(now: Situation): boolean {
  const { listed, intents, spec } = now;
  const isDeclared = intents.some(({ name }) => !listed.some((member) => member.name === name));
  return (isDeclared || listed.length < spec.size) && downgradeTargetOf(now) === undefined;
}

/**
 * Somebody says that it does not serve: itself, or the kubelet. That we do not reach it is no reason to restart it; where nobody is
 * reached any more, another image would never arrive, and only keep it from being replaced.
 */
function isDown({ health, pod }: ListedMember): boolean {
  if (!pod || pod.isReady || health === "healthy") return false;
  return health === "unhealthy" || !pod.isEtcdRunning || pod.trouble !== undefined;
}

/** Why no member may be taken down: one at a time, and only from a cluster that is whole. */
function whyNotNow(now: Situation): string | undefined {
  const alarm = alarmInTheWay(now);
  if (alarm) return `an alarm is raised (${alarm.kind})`;
  const coming = comingOf(now);
  if (coming !== undefined) return `${coming} is still on its way`;
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

/** Who is only declared cannot join before one has gone back. */
function canJoin(now: Situation): boolean {
  return downgradeTargetOf(now) === undefined;
}
