import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, RestartMember } from "../action.ts";
import { nameOf } from "../members.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { caAnnotations, ETCD_CONTAINER } from "../objects/pod.ts";
import { isEtcdRunning } from "../observe/pod-seen.ts";
import { keepsQuorumWithout } from "../quorum.ts";
import { deletePod } from "./delete-pods.ts";
import { whyMinorCannotBeLeft } from "./minor-upgrade.ts";
import { postponed, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

/** Takes one member down for a change, if all the others are well this moment. */
export async function restartMember(work: Work, action: RestartMember): Promise<ActionOutcome> {
  const { name } = action.member;
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const pod = await work.live.find(resources.pods, name);
  // Where nothing runs, nothing is taken down; the version of the pod, as a precondition, keeps it so.
  const isIdle = pod && pod.metadata.resourceVersion === action.pod.resourceVersion && !isEtcdRunning(pod);
  return isIdle ? carryOut(work, action) : takeDown(work, action);
}

async function takeDown(work: Work, action: RestartMember): Promise<ActionOutcome> {
  const { name, id } = action.member;
  const list = await work.etcd.members(name);
  if (list.kind === "postponed") return list;
  const entry = list.members.find((member) => member.id === id);
  if (!entry || nameOf(entry) !== name) return postponed(`member ${id} is not ${name} any more`);
  const voters = await work.etcd.voters(list.members);
  const absent = voters.find((voter) => voter.name !== name && !voter.isUp);
  if (absent) return postponed(`${name} stays up: ${absent.name} does not answer`, 1_000);
  const isUp = voters.some((voter) => voter.name === name && voter.isUp);
  const isDispensable = voters.length === 1 || keepsQuorumWithout(voters, name);
  if (isUp && !isDispensable) return postponed(`${name} stays up: without it there is no majority`, 1_000);
  const obstacle = action.leavesMinor === undefined ? undefined : await whyMinorCannotBeLeft(work, list.members);
  if (obstacle) return postponed(obstacle, 5_000);
  return carryOut(work, action);
}

async function carryOut(work: Work, { pod, change }: RestartMember): Promise<ActionOutcome> {
  if (change.kind === "pod") return deletePod(work, pod);
  return unlessChanged(`Pod ${pod.name}`, () =>
    work.writer.patchStrategic(resources.pods, pod, {
      // etcd starts anew in the pod, and with it reads the bundles anew.
      metadata: { annotations: { [ANNOTATIONS.version]: change.version, ...caAnnotations(work.seen.tls?.ca) } },
      spec: { containers: [{ name: ETCD_CONTAINER, image: change.image }] },
    }),
  );
}
