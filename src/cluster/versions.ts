import type { Version } from "../etcd/version.ts";
import { compareVersions, formatVersion, parseVersion } from "../etcd/version.ts";
import { factsOf, type VersionFacts } from "../etcd/version-facts.ts";
import type { MemberSeen } from "./members.ts";
import type { Situation } from "./situation.ts";

/** What a new member runs: what the others run, because a roll is a step of its own; before there are others, what the spec says. */
export function versionOfNewMember({ status, spec }: Situation): string {
  return normalized(status.currentVersion) ?? normalized(spec.version) ?? spec.version;
}

/** What a member that comes back runs: what it ran before. */
export function versionOfReturningMember({ name }: MemberSeen, now: Situation): string {
  const noted = now.status.memberStatus?.find((member) => member.name === name)?.version;
  return normalized(noted) ?? versionOfNewMember(now);
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
