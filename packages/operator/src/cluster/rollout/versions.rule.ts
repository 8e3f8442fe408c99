import type { Version } from "@etcd-operator/etcd-client";
import {
  compareVersions,
  factsOf,
  formatVersion,
  isSameRelease,
  parseVersion,
  type VersionFacts,
} from "@etcd-operator/etcd-client";
import type { MemberSeen } from "../model/members.ts";
import type { Situation } from "../model/situation.ts";
import { versionStep } from "./version-step.rule.ts";

/**
 * What a new member runs: what the others run, because a roll is a step of its own; one that replaces an
 * outdated one, and the first of all, what the spec says.
 */
export function versionOfNewMember(now: Situation): string {
  const { status, spec, voters } = now;
  const step = versionStep(now);
  if (step.kind === "roll" && voters.length >= spec.size) return step.to;
  return normalized(status.currentVersion) ?? spec.version;
}

/**
 * What a member that comes back runs: what it ran before; or, if it was taken down for another version, that one, as
 * long as the spec says so. A member that merely lost its pod is not part of a rollout: what has to be asked before one
 * has not been asked.
 */
export function versionOfReturningMember({ name, claim }: MemberSeen, { status, spec }: Situation): string {
  const noted = status.memberStatus?.find((member) => member.name === name)?.version;
  const before =
    normalized(noted) ?? normalized(claim?.record?.version) ?? normalized(status.currentVersion) ?? spec.version;
  const { from, to } = claim?.returnsWith ?? {};
  const isMeant = isSameRelease(from, before) && isSameRelease(to, spec.version);
  return (isMeant && normalized(to)) || before;
}

/** What the cluster can do: as much as the oldest member that responds. */
export function clusterFacts(now: Situation): VersionFacts {
  const running = now.seen.pods.flatMap(({ answer }) => parseVersion(answer.status?.version ?? "") ?? []);
  const [oldest = parseVersion(versionOfNewMember(now))] = running.sort(compareVersions);
  return factsOf(oldest ?? { major: 3, minor: 2, patch: 0 });
}

function normalized(text: string | undefined): string | undefined {
  const version: Version | undefined = parseVersion(text ?? "");
  return version && formatVersion(version);
}
