import { awayMs } from "../model/lasting.ts";
import { isDuplicate, type MemberSeen } from "../model/members.ts";
import type { Observation } from "../model/observation.ts";
import { idOf, isIdentified, listOf, type Rule } from "../model/situation.ts";

/**
 * Clients are routed to voters of this cluster only: a learner refuses them, a removed member has stale data, and what
 * another cluster acknowledges is lost to this one. That takes no majority to see.
 */
export const setGates: Rule = ({ members, isConfirmed, status, seen }) => {
  if (!status.clusterID) return undefined;
  const wrong = members.flatMap((member) => {
    const { pod } = member;
    if (!pod || pod.isTerminating || pod.gate === "absent") return [];
    const isOpen = pod.gate === "open";
    // One that was closed because it gets another image stays so until that runs.
    const opens = !isOpen && isConfirmed && isVoterOfOurs(member) && !pod.awaitsNewImage;
    const closes = isOpen && (isDuplicate(member) || (isConfirmed && isNoVoter(member, seen)));
    return opens || closes ? [{ pod: idOf(pod), isOpen: opens }] : [];
  });
  if (wrong.length === 0) return undefined;
  const named = (isOpen: boolean) => listOf(wrong.filter((gate) => gate.isOpen === isOpen).map(({ pod }) => pod.name));
  const [opened, closed] = [named(true), named(false)];
  const message = [opened && `open to clients: ${opened}`, closed && `closed to clients: ${closed}`].filter(Boolean);
  return { kind: "set-gates", gates: wrong, reason: "ReadinessGatesSet", message: message.join("; ") };
};

function isNoVoter(member: MemberSeen, seen: Observation): boolean {
  return member.etcd === undefined || member.etcd.isLearner || isOnItsOwn(member, seen);
}

/** As many seconds as the kubelet takes to believe its probes. */
const DOUBT_MS = 6_000;

/**
 * It says itself that it reaches no majority, and its probes do not ask it: the question would write into the log of an
 * old version.
 */
function isOnItsOwn(member: MemberSeen, seen: Observation): boolean {
  const { health, pod } = member;
  return health === "unhealthy" && pod?.asksForLivez === false && awayMs(member, seen) >= DOUBT_MS;
}

function isVoterOfOurs(member: MemberSeen): boolean {
  const { etcd, health } = member;
  return etcd !== undefined && !etcd.isLearner && health === "healthy" && isIdentified(member);
}
