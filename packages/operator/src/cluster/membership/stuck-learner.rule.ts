import { hasFailedBefore } from "../bootstrap/start-failures.status.ts";
import { LASTING } from "../model/lasting.ts";
import type { MemberSeen } from "../model/members.ts";
import type { Observation } from "../model/observation.ts";
import { hasHealthyMajority, isStarted, type Situation } from "../model/situation.ts";
import { hasTlsDefects } from "../tls/tls-step.rule.ts";

/**
 * Whether etcd will never promote a learner: it refuses to, and for longer than any snapshot takes to arrive the
 * learner has answered and got no further in the log, while the same leader had more for it. A voter is never stuck,
 * and what makes progress is not either.
 */
export function isStuck(member: MemberSeen, now: Situation): boolean {
  // With these no other member could come in its place.
  if (now.seen.problems.length > 0 || hasTlsDefects(now.seen)) return false;
  const isBehind = placeBehind(member, now) !== undefined;
  return isBehind && isRefused(member, now) && now.seen.seenFor.ms(LASTING.behind(member.name)) >= patienceMs(now);
}

/**
 * The log position of a learner that answers, and the leader's name; undefined for any other member, and once it has
 * all that the leader has.
 */
export function placeBehind(member: MemberSeen, now: Situation): string | undefined {
  const { etcd, pod, health, isExternal } = member;
  if (!etcd?.isLearner || !isStarted(member) || isExternal || health !== "healthy" || pod?.isTerminating)
    return undefined;
  // Another leader sends its snapshot from the beginning again, and without a majority there is nothing to send.
  const leader = now.voters.find((voter) => voter.isLeader && voter.health === "healthy");
  const [own, ahead] = [logIndexOf(pod), logIndexOf(leader?.pod)];
  if (!pod || !leader || !hasHealthyMajority(now) || own === undefined || ahead === undefined) return undefined;
  return own < ahead ? `${pod.uid} ${own} behind ${leader.name}` : undefined;
}

/** The log position that a member reports; undefined when it does not answer. */
export function logIndexOf(pod: MemberSeen["pod"]): number | undefined {
  return pod?.answer.status?.log?.index;
}

function isRefused({ name }: MemberSeen, { seen }: Situation): boolean {
  const { stalled = [] } = seen;
  return stalled.some(
    ({ kind, names, came }) => kind === "promote-member" && came === "refused" && names.includes(name),
  );
}

const LEAST_MS = 600_000;
/** A network or disk slower than this brings no member up in a useful time. */
const SLOWEST_BYTES_PER_S = 1024 ** 2;
const MOST_DOUBLINGS = 4;

/** Time for a full snapshot, doubled after each failed attempt, so that a slower network only delays a member. */
function patienceMs(now: Situation): number {
  const { spec, seen, status } = now;
  const waitMs = Math.max(LEAST_MS, spec.memberReplacement.afterSeconds * 2_000);
  const attempts = hasFailedBefore(now) ? (status.startFailures?.count ?? 0) : 0;
  return (waitMs + snapshotMs(seen)) * 2 ** Math.min(attempts, MOST_DOUBLINGS);
}

function snapshotMs({ pods }: Observation): number {
  const sizes = pods.map(({ answer }) => answer.status?.databaseSizeBytes ?? 0);
  return (Math.max(0, ...sizes) / SLOWEST_BYTES_PER_S) * 1_000;
}
