import { factsOf } from "../../etcd/version-facts.ts";
import type { Action } from "../action.ts";
import { isSettled, outdatedVoters } from "../outdated.ts";
import { isStarted, type ListedMember, listOf, type Rule, type Situation } from "../situation.ts";
import { downgradeTargetOf, reportedVersion, versionStep } from "../version-step.ts";
import { recheckSoonMs } from "./recheck-soon.ts";
import { hasDataToBringDown, restartOf } from "./restart.ts";

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
    return { kind: "hold", ...recheckSoonMs(now), reason: "RollWaits", message: `${next.name} is next; ${wait}` };
  return canHandOver(next, now) ? handOver(next, now) : restartOf(next, now);
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

/** A version that cannot be reached keeps nothing else from being done. */
export const refuseVersion: Rule = (now) => {
  const step = versionStep(now);
  if (step.kind !== "refused") return undefined;
  const message = `spec.version '${now.spec.version}' cannot be reached: ${step.why}`;
  return { kind: "hold", reason: "VersionRefused", message };
};

/**
 * Who is missing comes before anybody is taken down: scale-up would never get to it if this waited. And a member that was replaced
 * because it did not come up with what it was given is no licence to give it to the next.
 */
function isShortOfMembers(now: Situation): boolean {
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
  const { voters, listed, seen, intents } = now;
  const [alarm] = seen.alarms;
  if (alarm) return `an alarm is raised (${alarm.kind})`;
  const isOnItsWay = (name: string) => canJoin(now) || listed.some((member) => member.name === name);
  const coming =
    listed.find((member) => !isStarted(member) || member.etcd.isLearner)?.name ??
    intents.find(({ name }) => isOnItsWay(name))?.name;
  if (coming) return `${coming} is still on its way`;
  const unsettled = voters
    .filter((member) => !isSettled(member))
    .map(({ name, pod }) => {
      return pod?.trouble ? `${name} (${pod.trouble})` : name;
    });
  return unsettled.length > 0 ? `waiting for ${listOf(unsettled)}` : undefined;
}

/** Who is only declared cannot join before one has gone back. */
function canJoin(now: Situation): boolean {
  return downgradeTargetOf(now) === undefined;
}

/** Before 3.3 a leader cannot; it hands over when it stops. */
function canHandOver(member: ListedMember, now: Situation): boolean {
  const version = reportedVersion(member, now);
  return member.isLeader && now.voters.length > 1 && version !== undefined && factsOf(version).canMoveLeader;
}

function handOver(from: ListedMember, { voters }: Situation): Action | undefined {
  const to = voters.find((member) => !member.isLeader && isSettled(member));
  if (!to) return undefined;
  const [leader, next] = [from, to].map(({ name, etcd }) => ({ name, id: etcd.id }));
  if (!leader || !next) return undefined;
  const message = `${from.name} leads and is next: ${to.name} takes over`;
  return { kind: "move-leader", from: leader, to: next, reason: "RollingOut", message };
}
