import type { Version } from "./version.ts";

/** A check that is off unless switched on: by a flag, by a feature gate, or (3.6) by either, but not by both. */
export interface Switch {
  readonly flag?: string;
  readonly gate?: string;
}

/** What one release of etcd can and cannot do, as far as an operator has to know. */
export interface VersionFacts {
  /** Adding as a learner and MemberPromote. Without: voters, one at a time. */
  readonly hasLearners: boolean;
  /** Whether MemberList asks the majority when told to; without, the answer may be stale. */
  readonly hasLinearizableMemberList: boolean;
  /** Without, a leader hands over by stopping. */
  readonly canMoveLeader: boolean;
  readonly preVote: "absent" | "off-by-default" | "on-by-default";
  /** `/livez` and `/readyz`. `/health` is no substitute for liveness: it fails on NOSPACE and without quorum. */
  readonly hasLivezReadyz: boolean;
  /** Whether a request for `/health` leaves an entry in the log, of a kind that 3.6 dies of. Measured. */
  readonly healthWritesLog: boolean;
  /** A learner answers "not ready" on `/readyz`; where it does not, a Service would send it clients. */
  readonly learnerIsUnready: boolean;
  /** A learner gives a snapshot of what it has; before, it refuses. Measured. */
  readonly learnerGivesSnapshot: boolean;
  readonly hasListenMetricsUrls: boolean;
  readonly hasMaxLearnersFlag: boolean;
  readonly initialCorruptCheck: Switch | undefined;
  readonly compactHashCheck: Switch | undefined;
  /** Takes a duration. */
  readonly corruptCheckTimeFlag: string | undefined;
  /** Takes a duration; how often a quiet watch that asked for it reports its revision. */
  readonly watchProgressIntervalFlag: string | undefined;
  /** `--experimental-*`; where false, one of them stops etcd from starting. */
  readonly hasExperimentalFlags: boolean;
  /** etcd exits when a setting comes both as a flag and as an environment variable. */
  readonly refusesFlagAndVariable: boolean;
  /** What can restore a snapshot, the better one first. */
  readonly restoreTools: readonly ("etcdutl" | "etcdctl")[];
  /** `--bump-revision --mark-compacted`, which only go together. */
  readonly canBumpRevision: boolean;
  /** Whether the Downgrade call really brings the data down one minor. */
  readonly canDowngrade: boolean;
  readonly hasShellInImage: boolean;
  /** Loses or corrupts data on its own; never run it. */
  readonly isCorrupting: boolean;
  /**
   * After how many entries it saves a snapshot of its log, unless told otherwise; only what comes later is replayed.
   */
  readonly snapshotCount: number;
  /**
   * The next minor stumbles over what the log may still have in it. 3.4 does not note how far its members have been
   * written down, and 3.5 takes those that it reads of again for removed ones; 3.6 dies of requests for `/health` of
   * 3.4 and before, 3.7 of what members of 3.5 and before say of themselves. Measured.
   */
  readonly logOutlivesMinor: boolean;
  /** Members that joined are still learners in the eyes of the next minor. */
  readonly losesPromotions: boolean;
  /**
   * The patch to be at before going to the next minor; going from an older one may lose learner flags or revive
   * members.
   */
  readonly patchBeforeNextMinor: number;
}

/** The facts about a release; of a minor newer than we know, those of the newest known. */
export function factsOf({ minor, patch }: Version): VersionFacts {
  return {
    hasLearners: minor >= 4,
    hasLinearizableMemberList: minor >= 5,
    canMoveLeader: minor >= 3,
    preVote: preVoteOf(minor),
    hasLivezReadyz: since(minor, patch, { 4: 29, 5: 11 }),
    healthWritesLog: minor <= 4,
    learnerIsUnready: since(minor, patch, { 5: 19 }),
    learnerGivesSnapshot: minor >= 5,
    hasListenMetricsUrls: minor >= 3,
    hasMaxLearnersFlag: minor >= 6,
    initialCorruptCheck: minor >= 3 ? switchOf(minor, "initial-corrupt-check", "InitialCorruptCheck") : undefined,
    compactHashCheck: since(minor, patch, { 5: 5 })
      ? switchOf(minor, "compact-hash-check-enabled", "CompactHashCheck")
      : undefined,
    corruptCheckTimeFlag: minor >= 3 ? renamedFlag(minor, "corrupt-check-time") : undefined,
    watchProgressIntervalFlag: since(minor, patch, { 4: 11 })
      ? renamedFlag(minor, "watch-progress-notify-interval")
      : undefined,
    hasExperimentalFlags: minor >= 3 && minor <= 6,
    refusesFlagAndVariable: minor >= 4,
    restoreTools: restoreToolsOf(minor),
    canBumpRevision: since(minor, patch, { 4: 27, 5: 10 }),
    canDowngrade: minor >= 6,
    hasShellInImage: minor <= 3 || (minor === 4 && patch <= 22) || (minor === 5 && patch <= 6),
    isCorrupting: minor === 5 && patch <= 2,
    snapshotCount: minor >= 6 ? 10_000 : 100_000,
    logOutlivesMinor: minor >= 4 && minor <= 6,
    losesPromotions: minor === 5 && patch < 20,
    patchBeforeNextMinor: { 5: 32, 6: 11 }[minor] ?? 0,
  };
}

/** The flags that switch checks on: all gates share one flag, because a second one would replace the first. */
export function flagsToSwitchOn(switches: readonly (Switch | undefined)[]): string[] {
  const known = switches.filter((one) => one !== undefined);
  const gates = known.flatMap(({ gate }) => (gate ? [`${gate}=true`] : []));
  const flags = known.flatMap(({ gate, flag }) => (!gate && flag ? [`${flag}=true`] : []));
  return gates.length > 0 ? [...flags, `--feature-gates=${gates.join(",")}`] : flags;
}

/** True from the named patch of a named minor on, and in every minor after the last one named. */
function since(minor: number, patch: number, firstPatches: Readonly<Record<number, number>>): boolean {
  const first = firstPatches[minor];
  return first === undefined ? minor > Math.max(...Object.keys(firstPatches).map(Number)) : patch >= first;
}

function preVoteOf(minor: number): VersionFacts["preVote"] {
  if (minor < 4) return "absent";
  return minor === 4 ? "off-by-default" : "on-by-default";
}

function switchOf(minor: number, name: string, gate: string): Switch {
  const flag = `--experimental-${name}`;
  if (minor < 6) return { flag };
  return minor === 6 ? { flag, gate } : { gate };
}

// From 3.6 on these lost their prefix; 3.6 still takes the old spelling, with a warning.
function renamedFlag(minor: number, name: string): string {
  return minor < 6 ? `--experimental-${name}` : `--${name}`;
}

function restoreToolsOf(minor: number): VersionFacts["restoreTools"] {
  if (minor < 5) return ["etcdctl"];
  return minor === 5 ? ["etcdutl", "etcdctl"] : ["etcdutl"];
}
