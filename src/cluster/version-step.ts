import { compareVersions, formatVersion, parseVersion, type Version } from "../etcd/version.ts";
import { factsOf } from "../etcd/version-facts.ts";
import type { ListedMember, Situation } from "./situation.ts";

/** How the members get from what they run to what the spec says. */
export type VersionStep =
  /** Nobody has ever said what it runs. */
  | { readonly kind: "unknown" }
  /** They are there. */
  | { readonly kind: "none"; readonly to: string }
  | { readonly kind: "roll"; readonly to: string; readonly leavesMinor: string | undefined; readonly warning?: string }
  /** etcd has to be told first. */
  | { readonly kind: "downgrade"; readonly target: string }
  /** etcd was told to go back, and the user does not want to any more. */
  | { readonly kind: "cancel-downgrade"; readonly target: string }
  | { readonly kind: "refused"; readonly why: string };

/** Judged from what the members report, not from what was asked of them before. */
export function versionStep(now: Situation): VersionStep {
  const to = parseVersion(now.spec.version);
  const running = now.voters.flatMap((member) => reportedVersion(member, now) ?? []).sort(compareVersions);
  const [lowest, highest] = [running[0], running.at(-1)];
  if (!to || !lowest || !highest) return { kind: "unknown" };
  const downgradeTarget = downgradeTargetOf(now);
  if (downgradeTarget !== undefined && downgradeTarget !== minorOf(to) && to.minor >= highest.minor) {
    return { kind: "cancel-downgrade", target: downgradeTarget };
  }
  if (running.every((version) => compareVersions(version, to) === 0)) return { kind: "none", to: formatVersion(to) };
  const why = whyRefused(lowest, highest, to);
  if (why) return { kind: "refused", why };
  const isGoingBack = lowest.minor > to.minor;
  if (isGoingBack && downgradeTarget !== minorOf(to)) return { kind: "downgrade", target: minorOf(to) };
  const leavesMinor = to.minor > lowest.minor ? minorOf(lowest) : undefined;
  return { kind: "roll", to: formatVersion(to), leavesMinor, ...warningAbout(lowest, to) };
}

/** What a member runs; of one that does not answer, what it ran when it last did. */
export function reportedVersion({ name, pod }: ListedMember, { status }: Situation): Version | undefined {
  const noted = status.memberStatus?.find((member) => member.name === name)?.version;
  return parseVersion(pod?.answer.status?.version ?? noted ?? "");
}

/** While versions are mixed the way back is open; once all run the newer one, only etcd itself can bring its data down. */
function whyRefused(lowest: Version, highest: Version, to: Version): string | undefined {
  if (to.major !== lowest.major)
    return `members run ${formatVersion(lowest)}, and no way leads to ${formatVersion(to)}`;
  if (to.minor > lowest.minor + 1) {
    return `members run ${minorOf(lowest)}: go to ${lowest.major}.${lowest.minor + 1} first, etcd moves one minor at a time`;
  }
  if (to.minor < highest.minor - 1) {
    return `members run ${minorOf(highest)}: go back to ${highest.major}.${highest.minor - 1} first, etcd moves one minor at a time`;
  }
  if (lowest.minor > to.minor && !factsOf(lowest).canDowngrade) {
    return `all members run ${minorOf(lowest)}, and etcd before 3.6 cannot bring its data back: restore a backup that ${minorOf(to)} made`;
  }
  return undefined;
}

function warningAbout(from: Version, to: Version): { readonly warning?: string } {
  const { patchBeforeNextMinor: patch } = factsOf(from);
  if (to.minor <= from.minor || from.patch >= patch) return {};
  const safe = `${minorOf(from)}.${patch}`;
  return {
    warning: `etcd advises to be at ${safe} or newer before going to ${minorOf(to)}; members run ${formatVersion(from)}`,
  };
}

function downgradeTargetOf({ seen }: Situation): string | undefined {
  const text = seen.pods.flatMap(({ answer }) => answer.status?.downgradeTarget ?? [])[0];
  const parsed = text === undefined ? undefined : /^v?(\d+)\.(\d+)/.exec(text);
  return parsed ? `${parsed[1]}.${parsed[2]}` : undefined;
}

function minorOf({ major, minor }: Version): string {
  return `${major}.${minor}`;
}
