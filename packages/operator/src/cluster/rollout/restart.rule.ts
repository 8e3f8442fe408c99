import { formatVersion, parseVersion } from "@etcd-operator/etcd-client";
import type { Action } from "../model/action.ts";
import type { VersionChange } from "../model/observation.ts";
import { majorityOf } from "../model/quorum.ts";
import { idOf, type ListedMember, type Situation } from "../model/situation.ts";
import type { Change } from "./outdated.rule.ts";
import { minorOf, reportedVersion, versionStep } from "./version-step.rule.ts";

export type Outdated = ListedMember & { readonly change: Change };

/** Takes a member down for what it has to become; undefined for one that another has to replace. */
export function restartOf(member: Outdated, now: Situation): Action | undefined {
  const { name, etcd, pod, change } = member;
  if (!pod || change.kind === "member") return undefined;
  const step = versionStep(now);
  const to = change.kind === "image" ? `gets ${change.image}` : "gets a new pod on its volume";
  return {
    kind: "restart-member",
    member: { name, id: etcd.id },
    pod: idOf(pod),
    change: change.kind === "pod" ? { ...change, ...versionChangeOf(member, now) } : change,
    leavesMinor: minorLeftBy(member, now),
    goesBackTo: minorReturnedTo(member, now),
    costsMajority: now.voters.length - 1 < majorityOf(now.voters.length),
    reason: "RollingOut",
    message: [`${name} ${to}`, ...(step.kind === "roll" && step.warning ? [step.warning] : [])].join("; "),
  };
}

function versionChangeOf(member: ListedMember, now: Situation): { readonly returnsWith?: VersionChange } {
  const step = versionStep(now);
  const from = reportedVersion(member, now);
  return from && step.kind === "roll" ? { returnsWith: { from: formatVersion(from), to: step.to } } : {};
}

/** The minor that a member leaves for the next; one whose pod is of the next has left it. */
export function minorLeftBy({ pod, change }: Outdated, now: Situation): string | undefined {
  const step = versionStep(now);
  if (step.kind !== "roll") return undefined;
  const next = change.kind === "image" ? change.version : step.to;
  const isTheSame = parseVersion(pod?.version ?? "")?.minor === parseVersion(next)?.minor;
  return isTheSame ? undefined : step.leavesMinor;
}

function minorReturnedTo(member: ListedMember, now: Situation): string | undefined {
  const step = versionStep(now);
  const [from, to] = [reportedVersion(member, now), step.kind === "roll" ? parseVersion(step.to) : undefined];
  return from && to && to.minor < from.minor ? minorOf(to) : undefined;
}

/**
 * Only etcd itself brings its data down, and only while it runs: one that is down keeps what it has until it runs
 * again.
 */
export function hasDataToBringDown(member: ListedMember, now: Situation): boolean {
  const step = versionStep(now);
  return step.kind === "roll" && step.isDowngrade && minorReturnedTo(member, now) !== undefined;
}
