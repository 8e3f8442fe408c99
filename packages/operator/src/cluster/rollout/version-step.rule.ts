import { compareVersions, factsOf, formatVersion, parseVersion, type Version } from "@etcd-operator/etcd-client";
import type { UpgradeBackupSeen } from "../model/observation.ts";
import type { ListedMember, Situation } from "../model/situation.ts";
import { wayInPlace } from "./in-place.rule.ts";

/** How the members get from what they run to what the spec says. */
type VersionStep =
  /** Its version was never reported. */
  | { readonly kind: "unknown" }
  /** They are there. */
  | { readonly kind: "none"; readonly to: string }
  | Roll
  /** A request to etcd is needed first. */
  | { readonly kind: "downgrade"; readonly target: string }
  /**
   * The downgrade of etcd is obsolete: it is not desired or not possible any more, or one member is back and holds
   * the way open.
   */
  | { readonly kind: "cancel-downgrade"; readonly target: string }
  /** The user asks for a backup before a member leaves the minor, and it does not exist yet. */
  | { readonly kind: "backup-first"; readonly backup: AwaitedBackup }
  | { readonly kind: "refused"; readonly why: string };

type AwaitedBackup = Extract<UpgradeBackupSeen, { kind: "missing" | "running" }>;

interface Roll {
  readonly kind: "roll";
  readonly to: string;
  /** The minor that members leave for the next. */
  readonly leavesMinor: string | undefined;
  /** etcd downgrades its data one minor for it, and lets no member join meanwhile: measured on 3.6 and 3.7. */
  readonly isDowngrade: boolean;
  readonly warning?: string;
}

/** Asked for each member, and the same for all of them. */
const known = new WeakMap<Situation, VersionStep>();

/** Judged from what the members report, not from what was asked of them before. */
export function versionStep(now: Situation): VersionStep {
  const step = known.get(now) ?? stepOf(now);
  known.set(now, step);
  return step;
}

function stepOf(now: Situation): VersionStep {
  const to = parseVersion(now.spec.version);
  const running = now.voters.flatMap((member) => reportedVersion(member, now) ?? []).sort(compareVersions);
  const [lowest, highest] = [running[0], running.at(-1)];
  if (!to || !lowest || !highest) return { kind: "unknown" };
  const why = whyRefused(lowest, highest, to);
  if (why) return { kind: "refused", why };
  const told = downgradeTargetOf(now);
  const isGoingBack = lowest.minor > to.minor;
  const isBarred = isGoingBack && !canGoFirst(to, now);
  if (told !== undefined && (isBarred || isPastTelling(told, to, highest, now))) {
    return barredOr({ kind: "cancel-downgrade", target: told }, now);
  }
  if (running.every((version) => compareVersions(version, to) === 0)) return { kind: "none", to: formatVersion(to) };
  if (isBarred) return { kind: "refused", why: whyNobodyCanGoFirst(to) };
  if (isGoingBack && told !== minorOf(to)) return barredOr({ kind: "downgrade", target: minorOf(to) }, now);
  const leavesMinor = to.minor > lowest.minor ? minorOf(lowest) : undefined;
  if (leavesMinor && minorOf(highest) === leavesMinor) {
    const wait = waitForBackup(now);
    if (wait) return wait;
  }
  if (leavesMinor && now.seen.minorBarred) return { kind: "refused", why: now.seen.minorBarred };
  return { kind: "roll", to: formatVersion(to), leavesMinor, isDowngrade: isGoingBack, ...warningAbout(lowest, to) };
}

/** Once etcd has said that it takes no such word from us, nothing else waits for it. */
function barredOr(step: VersionStep, { seen }: Situation): VersionStep {
  return seen.minorBarred === undefined ? step : { kind: "refused", why: seen.minorBarred };
}

/** What a member runs; of one that does not answer, what it ran when it last did. */
export function reportedVersion({ name, pod }: ListedMember, { status }: Situation): Version | undefined {
  const noted = status.memberStatus?.find((member) => member.name === name)?.version;
  return parseVersion(pod?.answer.status?.version ?? noted ?? "");
}

/** The target of etcd's downgrade. A member that is cut off may not know that it was cancelled. */
export function downgradeTargetOf({ seen }: Situation): string | undefined {
  const healthy = seen.pods.filter(({ answer }) => answer.health === "healthy");
  const text = healthy.flatMap(({ answer }) => answer.status?.downgradeTarget ?? [])[0];
  const parsed = text === undefined ? undefined : /^v?(\d+)\.(\d+)/.exec(text);
  return parsed ? `${parsed[1]}.${parsed[2]}` : undefined;
}

export function minorOf({ major, minor }: Version): string {
  return `${major}.${minor}`;
}

/** No member has left yet: what is saved now was written by the minor. */
function waitForBackup({ seen }: Situation): VersionStep | undefined {
  const { upgradeBackup: backup } = seen;
  if (!backup) return undefined;
  switch (backup.kind) {
    case "succeeded":
      return undefined;
    case "no-template": {
      const remedy = "create it, or unset spec.upgrade.backupName";
      return {
        kind: "refused",
        why: `spec.upgrade.backupName '${backup.name}': this EtcdBackup does not exist; ${remedy}`,
      };
    }
    case "failed": {
      const remedy = "delete it to try again, or unset spec.upgrade.backupName";
      return { kind: "refused", why: `EtcdBackup ${backup.name} did not succeed: ${backup.why}; ${remedy}` };
    }
    default:
      return { kind: "backup-first", backup };
  }
}

/**
 * While versions are mixed the way back is open; once all run the newer one, only etcd itself can bring its data down.
 */
function whyRefused(lowest: Version, highest: Version, to: Version): string | undefined {
  if (to.major !== lowest.major) return `no upgrade path from ${formatVersion(lowest)} to ${formatVersion(to)}`;
  if (to.minor > lowest.minor + 1) {
    return `members run ${minorOf(lowest)}: upgrade to ${lowest.major}.${lowest.minor + 1} first; etcd moves one minor at a time`;
  }
  if (to.minor < highest.minor - 1) {
    return `members run ${minorOf(highest)}: downgrade to ${highest.major}.${highest.minor - 1} first; etcd moves one minor at a time`;
  }
  if (to.minor > lowest.minor && factsOf(lowest).losesPromotions) {
    return `${minorOf(to)} would load members added under ${formatVersion(lowest)} as learners: upgrade to ${minorOf(lowest)}.${factsOf(lowest).patchBeforeNextMinor} or later first`;
  }
  if (lowest.minor > to.minor && !factsOf(lowest).canDowngrade) {
    return `all members run ${minorOf(lowest)}, and etcd before 3.6 cannot downgrade its data: restore a backup taken with ${minorOf(to)}`;
  }
  return undefined;
}

/**
 * The first to run the older minor keeps the cluster's own version down for as long as it is a member. So the rest may
 * go back as while versions are mixed, and members can join again.
 */
function isPastTelling(told: string, to: Version, highest: Version, { voters }: Situation): boolean {
  const isWithdrawn = told !== minorOf(to) && to.minor >= highest.minor;
  const isBack = ({ health, pod }: ListedMember) => {
    const version = parseVersion(pod?.answer.status?.version ?? "");
    return health === "healthy" && version !== undefined && minorOf(version) === told;
  };
  return isWithdrawn || (minorOf(highest) !== told && voters.some(isBack));
}

/** As no member can join until one has been downgraded, one has to be able to with the data that it has. */
function canGoFirst(to: Version, now: Situation): boolean {
  return now.voters.some((voter) => voter.pod && wayInPlace(voter, voter.pod, formatVersion(to), now) !== undefined);
}

function whyNobodyCanGoFirst(to: Version): string {
  const why = `${minorOf(to)} does not start in the existing pods, and without volumes their data is lost with them`;
  return `${why}: restore a backup taken with ${minorOf(to)}`;
}

function warningAbout(from: Version, to: Version): { readonly warning?: string } {
  const { patchBeforeNextMinor: patch } = factsOf(from);
  if (to.minor <= from.minor || from.patch >= patch) return {};
  const safe = `${minorOf(from)}.${patch}`;
  return {
    warning: `etcd recommends ${safe} or newer before upgrading to ${minorOf(to)}; members run ${formatVersion(from)}`,
  };
}
