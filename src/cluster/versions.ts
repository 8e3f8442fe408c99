import type { Version } from "../etcd/version.ts";
import { compareVersions, formatVersion, parseVersion } from "../etcd/version.ts";
import { factsOf, type VersionFacts } from "../etcd/version-facts.ts";
import type { MemberSeen } from "./members.ts";
import type { Situation } from "./situation.ts";
import { versionStep } from "./version-step.ts";

/**
 * What a new member runs: what the others run, because a roll is a step of its own; one that takes the place of an outdated one, and
 * the first of all, what the spec says.
 */
export function versionOfNewMember(now: Situation): string {
  const { status, spec, voters } = now;
  const step = versionStep(now);
  if (step.kind === "roll" && voters.length >= spec.size) return step.to;
  return normalized(status.currentVersion) ?? normalized(spec.version) ?? spec.version;
}

/**
 * What a member that comes back runs: what it ran before. One that was taken down for a roll comes back as the spec says, which it
 * may as well do whenever all the others are well; if they are not, nobody knows whether the new version is to blame. Nobody comes
 * back as the first of a newer minor: whether the old one can be left is not asked of who only lost its pod.
 */
export function versionOfReturningMember({ name }: MemberSeen, now: Situation): string {
  const step = versionStep(now);
  const others = now.voters.filter((voter) => voter.name !== name);
  const isOpen = step.kind === "roll" && (step.leavesMinor === undefined || others.some(runsMinorOf(step.to)));
  return isOpen && now.isConfirmed && others.every(isSettledVoter) ? step.to : versionBefore(name, now);
}

/** All that a member may have come back with: which of them depends on how the others did at that moment. */
export function versionsOfReturningMember({ name }: MemberSeen, now: Situation): readonly string[] {
  const step = versionStep(now);
  return [versionBefore(name, now), ...(step.kind === "roll" ? [step.to] : [])];
}

function versionBefore(name: string, { status, spec }: Situation): string {
  const noted = status.memberStatus?.find((member) => member.name === name)?.version;
  return normalized(noted) ?? normalized(status.currentVersion) ?? spec.version;
}

function isSettledVoter({ health, pod }: MemberSeen): boolean {
  return health === "healthy" && pod?.isReady === true;
}

function runsMinorOf(text: string): (member: MemberSeen) => boolean {
  const minor = parseVersion(text)?.minor;
  return ({ pod }) => parseVersion(pod?.answer.status?.version ?? "")?.minor === minor;
}

/** What the cluster as a whole can do: as much as the oldest that answers. */
export function clusterFacts(now: Situation): VersionFacts {
  const running = now.seen.pods.flatMap(({ answer }) => parseVersion(answer.status?.version ?? "") ?? []);
  const [oldest = parseVersion(versionOfNewMember(now))] = running.sort(compareVersions);
  return factsOf(oldest ?? { major: 3, minor: 2, patch: 0 });
}

function normalized(text: string | undefined): string | undefined {
  const version: Version | undefined = parseVersion(text ?? "");
  return version && formatVersion(version);
}
