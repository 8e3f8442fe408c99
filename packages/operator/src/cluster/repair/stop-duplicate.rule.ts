import { isDuplicate, type MemberSeen } from "../model/members.ts";
import type { PodSeen } from "../model/observation.ts";
import { canDecide, idOf, type Rule, type Situation } from "../model/situation.ts";

/**
 * Deletes the pod of a member that runs on a copy of another's data: etcd crashes when two processes are one member,
 * and the majority may go with the true one. What it had itself is not there any more, and what it holds the other has.
 * With a majority it is replaced like any that is lost.
 */
export const stopDuplicate: Rule = (now) => {
  if (canDecide(now)) return undefined;
  for (const member of now.voters) {
    const { pod } = member;
    if (!pod || pod.isTerminating || !isDuplicate(member)) continue;
    const twin = ownPodOf(pod.answer.otherMemberId, pod, now);
    if (!twin) continue;
    const message = `Deleting pod ${pod.name}: it runs on a copy of member ${twin.name}'s data directory`;
    const asMember = pod.answer.otherMemberId ?? "";
    return { kind: "stop-duplicate", pod: idOf(pod), twin: idOf(twin), asMember, reason: "StoppingDuplicate", message };
  }
  return undefined;
};

/** Where the member whose id it uses is at home, as long as its data may be there. */
function ownPodOf(id: string | undefined, duplicate: PodSeen, { voters }: Situation): PodSeen | undefined {
  const isAtHome = ({ etcd, pod }: MemberSeen) => etcd?.id === id && pod?.memberId === id && pod?.uid !== duplicate.uid;
  const { pod } = voters.find(isAtHome) ?? {};
  const isThere =
    pod && pod.stage === "running" && !pod.isTerminating && !pod.refusal && pod.answer.otherMemberId === undefined;
  return isThere ? pod : undefined;
}
