import type { ActionOutcome, RestartMember } from "@etcd-operator/operator/cluster/model/action.ts";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { deletePod } from "./kubelet-model.ts";
import { postponed, type WorkInWorld } from "./work-in-world.ts";
import type { Pod } from "./world.ts";

/** Takes one member down for a change, if all the others are well this moment. */
export function restartMember(work: WorkInWorld, action: RestartMember): ActionOutcome {
  const pod = work.world.pods.get(action.member.name);
  const isIdle = pod && String(pod.version) === action.pod.resourceVersion && !pod.isSaidToRun;
  if (isIdle && action.leavesMinor === undefined) return carryOut(work, action);
  if (isIdle && action.change.kind === "pod") return carryOut(work, { ...action, change: { kind: "pod" } });
  const why = work.isLate ? undefined : whyLeftAlone(work, action);
  return why ? postponed(why) : carryOut(work, action);
}

function whyLeftAlone(work: WorkInWorld, { member: { name, id }, costsMajority }: RestartMember): string | undefined {
  const etcd = work.members();
  if (!etcd.members.some((member) => member.id === id && member.host === name)) return "it is not a member any more";
  const voters = work.voters(etcd);
  const others = voters.filter((voter) => voter.name !== name);
  if (others.some(({ isUp }) => !isUp)) return "another one does not answer";
  if (!voters.some((voter) => voter.name === name && voter.isUp)) return undefined;
  if (work.seen.pods.find((pod) => pod.name === name)?.answer.health !== "healthy") return "it answers again";
  return costsMajority || others.length >= majorityOf(voters.length) ? undefined : "without it there is no majority";
}

function carryOut(work: WorkInWorld, { member, pod: id, change }: RestartMember): ActionOutcome {
  const { world } = work;
  const claim = work.seen.claims.find(({ name }) => name === member.name);
  if (change.kind === "pod" && change.returnsWith && claim) {
    const { returnsWith } = change;
    const outcome = work.onClaim(claim, (noted) => Object.assign(noted, { returnsWith }));
    if (outcome.kind === "postponed") return outcome;
  }
  return work.onPod(id, (pod: Pod) => {
    if (pod.isUp) world.takenDown.add(member.id);
    if (change.kind === "pod") deletePod(world, pod);
    else Object.assign(pod, { image: change.image, etcdVersion: change.version, fencedImage: undefined });
  });
}
