import { isSameRelease } from "@etcd-operator/etcd-client";
import { imageGiven } from "../model/image-given.ts";
import { losesVolume } from "../model/member-state.ts";
import type { MemberSeen } from "../model/members.ts";
import type { AlarmSeen, PodSeen } from "../model/observation.ts";
import { majorityOf } from "../model/quorum.ts";
import type { ListedMember, Situation } from "../model/situation.ts";
import { etcdImage } from "../objects/pod/pod.ts";
import { isMadeDifferently, wayInPlace } from "./in-place.rule.ts";
import { takesVersion } from "./takes-version.rule.ts";
import { versionStep } from "./version-step.rule.ts";
import { clusterFacts } from "./versions.rule.ts";

/** How a member gets to what the spec says. */
export type Change =
  /** Another image in its pod, in which its data stays. */
  | { readonly kind: "image"; readonly image: string; readonly version: string }
  /** Another pod on the same volume. */
  | { readonly kind: "pod" }
  /** Another member, added before it is removed: its data cannot move, or the cluster needs it. */
  | { readonly kind: "member" };

/** What has to be done to a voter so that it is as the spec says; undefined when it is. */
function changeOf(member: ListedMember, now: Situation): Change | undefined {
  const { pod } = member;
  if (!pod || pod.isTerminating || member.isExternal) return undefined;
  const change = smallestChange(member, pod, now);
  // No member can join while etcd downgrades its data: replacements wait until the first is back.
  if (isBringingDataDown(now)) return change?.kind === "member" ? undefined : change;
  if (!change || change.kind === "member") return change;
  // Taking down one of two, or the only one, would take the majority away; unless it is down anyway.
  return canBeSpared(member, now) || !clusterFacts(now).hasLearners ? change : { kind: "member" };
}

type OutdatedVoter = ListedMember & { readonly change: Change };

/** Asked several times of each situation. */
const known = new WeakMap<Situation, readonly OutdatedVoter[]>();

/** Voters that are not as the spec says. */
export function outdatedVoters(now: Situation): readonly OutdatedVoter[] {
  const outdated = known.get(now) ?? changedVoters(now);
  known.set(now, outdated);
  return outdated;
}

function changedVoters(now: Situation): readonly OutdatedVoter[] {
  return now.voters.flatMap((member) => {
    const change = changeOf(member, now);
    return change ? [{ ...member, change }] : [];
  });
}

/** Whether a voter has arrived: it serves its clients, and runs what its pod says. */
export function isSettled({ health, pod }: MemberSeen): boolean {
  if (health !== "healthy" || !pod?.isReady || pod.isTerminating || pod.awaitsNewImage) return false;
  return pod.version === undefined || isSameRelease(pod.answer.status?.version, pod.version);
}

/**
 * An alarm that keeps members from being changed. A database that is full may need just that, a larger quota, and
 * members are as well with it as without; but another version is none of what it needs.
 */
export function alarmInTheWay(now: Situation): AlarmSeen | undefined {
  const isAboutVersion = !STAYING.has(versionStep(now).kind);
  return now.seen.alarms.find(({ kind }) => kind !== "no-space" || isAboutVersion);
}

/** With these steps, members keep the version that they have. */
const STAYING: ReadonlySet<string> = new Set(["none", "refused", "backup-first"]);

function smallestChange(member: ListedMember, pod: PodSeen, now: Situation): Change | undefined {
  if (losesVolume(member)) return { kind: "member" };
  const step = versionStep(now);
  const version = step.kind === "roll" || step.kind === "none" ? step.to : pod.version;
  const { cluster } = now.seen;
  const given = imageGiven(pod, cluster);
  const image = version === undefined ? given : etcdImage(cluster, version);
  if (given === image && !isMadeDifferently(member, pod, now)) return undefined;
  const way = wayInPlace(member, pod, version ?? "", now);
  if (way === "image" && version !== undefined && image !== undefined) return { kind: "image", image, version };
  if (way === "pod") return { kind: "pod" };
  // No member can join while it is down: the image may be what it lacks, and it is replaced when it is up.
  const mayLackImage = member.health !== "healthy" && given !== image && takesVersion(version ?? "", pod);
  return mayLackImage && image && version ? { kind: "image", image, version } : { kind: "member" };
}

function isBringingDataDown(now: Situation): boolean {
  const step = versionStep(now);
  return step.kind === "roll" && step.isDowngrade;
}

/** Whether the others, if they are all healthy, are a majority without it. */
function canBeSpared({ health }: ListedMember, { voters }: Situation): boolean {
  return health !== "healthy" || voters.length - 1 >= majorityOf(voters.length);
}
