import type { Action } from "../action.ts";
import { isLost } from "../fate.ts";
import { type Change, isSettled, outdatedVoters } from "../outdated.ts";
import { idOf, isStarted, type ListedMember, listOf, type Rule, type Situation } from "../situation.ts";
import { versionStep } from "../version-step.ts";
import { recheckSoonMs } from "./recheck-soon.ts";

type Outdated = ListedMember & { readonly change: Change };

/**
 * Brings one voter after another to what the spec says, followers first. One that is down and outdated goes before all others: it has
 * nothing to lose, and a corrected spec may be what it needs. Those that need another member are the business of scale-up.
 */
export const rollOut: Rule = (now) => {
  const outdated = outdatedVoters(now).filter(({ change }) => change.kind !== "member");
  const stuck = outdated.find(({ health }) => health !== "healthy");
  if (stuck && now.voters.every((voter) => voter.name === stuck.name || isSettled(voter))) return restart(stuck, now);
  const [next] = [...outdated].sort((a, b) => Number(a.isLeader) - Number(b.isLeader));
  if (!next) return undefined;
  const wait = whyNotNow(now);
  if (wait)
    return { kind: "hold", ...recheckSoonMs(now), reason: "RollWaits", message: `${next.name} is next; ${wait}` };
  return next.isLeader && now.voters.length > 1 ? handOver(next, now) : restart(next, now);
};

/**
 * A member in whose pod nothing runs gets what the spec says at once, with a majority or without one: a spec that was corrected or
 * withdrawn may be all that it needs, and nothing is taken down for it.
 */
export const unstickMember: Rule = (now) => {
  if (!now.status.clusterID) return undefined;
  const isIdle = ({ pod, health }: ListedMember) => pod !== undefined && !pod.isEtcdRunning && health !== "healthy";
  const stuck = outdatedVoters(now).find((member) => isIdle(member) && !isLost(member));
  return stuck && restart(stuck, now);
};

/** Before and after the members go back one minor, etcd itself has to be told. */
export const setDowngrade: Rule = (now) => {
  const step = versionStep(now);
  switch (step.kind) {
    case "downgrade": {
      const message = `etcd is told that its members go back to ${step.target}`;
      return whyNotNow(now)
        ? undefined
        : { kind: "set-downgrade", step: "enable", target: step.target, reason: "Downgrading", message };
    }
    case "cancel-downgrade": {
      const message = `etcd is told that its members do not go back to ${step.target} after all`;
      return { kind: "set-downgrade", step: "cancel", target: step.target, reason: "DowngradeWithdrawn", message };
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

function restart({ name, etcd, pod, change }: Outdated, now: Situation): Action | undefined {
  if (!pod || change.kind === "member") return undefined;
  const step = versionStep(now);
  const to = change.kind === "image" ? `gets ${change.image}` : "gets a new pod on its volume";
  return {
    kind: "restart-member",
    member: { name, id: etcd.id },
    pod: idOf(pod),
    change,
    leavesMinor: step.kind === "roll" ? step.leavesMinor : undefined,
    reason: "RollingOut",
    message: [`${name} ${to}`, ...(step.kind === "roll" && step.warning ? [step.warning] : [])].join("; "),
  };
}

/** Why no member may be taken down: one at a time, and only from a cluster that is whole. */
function whyNotNow({ voters, listed, seen, intents }: Situation): string | undefined {
  const [alarm] = seen.alarms;
  if (alarm) return `an alarm is raised (${alarm.kind})`;
  const coming = listed.find((member) => !isStarted(member) || member.etcd.isLearner)?.name ?? intents[0]?.name;
  if (coming) return `${coming} is still on its way`;
  const unsettled = voters
    .filter((member) => !isSettled(member))
    .map(({ name, pod }) => {
      return pod?.trouble ? `${name} (${pod.trouble})` : name;
    });
  return unsettled.length > 0 ? `waiting for ${listOf(unsettled)}` : undefined;
}

function handOver(from: ListedMember, { voters }: Situation): Action | undefined {
  const to = voters.find((member) => !member.isLeader && isSettled(member));
  if (!to) return undefined;
  const [leader, next] = [from, to].map(({ name, etcd }) => ({ name, id: etcd.id }));
  if (!leader || !next) return undefined;
  const message = `${from.name} leads and is next: ${to.name} takes over`;
  return { kind: "move-leader", from: leader, to: next, reason: "RollingOut", message };
}
