import { parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { type Postponed, postponed, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { closeGate, isGateOpen, openGate } from "../membership/set-gates.act.ts";
import type { ActionOutcome, MemberId, ObjectId, RestartMember } from "../model/action.ts";
import { nameOf } from "../model/members.ts";
import type { VersionChange } from "../model/observation.ts";
import { majorityOf, type Voter } from "../model/quorum.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ETCD_CONTAINER } from "../objects/pod/pod.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { containerToReplace, isEtcdRunning } from "../observe/etcd-container.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { deletePod } from "../repair/delete-pods.act.ts";
import { podOf } from "../repair/member-objects.act.ts";
import { whyMinorCannotBeLeft } from "./minor-upgrade.act.ts";
import { noteAdmission } from "./record-admission.act.ts";
import { minorOf } from "./version-step.rule.ts";

/** Takes one member down for a change, if all the others are healthy at this moment. */
export async function restartMember(work: Work, action: RestartMember): Promise<ActionOutcome> {
  const { name } = action.member;
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const pod = await work.live.find(resources.pods, name);
  // Where nothing runs, nothing is taken down; the version of the pod, as a precondition, keeps it so.
  const isIdle = pod && pod.metadata.resourceVersion === action.pod.resourceVersion && !isEtcdRunning(pod);
  // Whether a minor can be left depends on the other members all the same; another pod with the same version does not
  // leave it.
  if (isIdle && action.leavesMinor === undefined) return carryOut(work, action, pod);
  if (isIdle && action.change.kind === "pod") return carryOut(work, { ...action, change: { kind: "pod" } }, pod);
  return (await whyStaysUp(work, action)) ?? carryOut(work, action, pod);
}

async function whyStaysUp(work: Work, action: RestartMember): Promise<Postponed | undefined> {
  const { name, id } = action.member;
  const list = await work.etcd.membersAndVoters(name);
  if (list.kind === "postponed") return list;
  const entry = list.members.find((member) => member.id === id);
  if (!entry || nameOf(entry) !== name) return postponed(`member ${id} is not ${name} any more`);
  const { voters } = list;
  const why = whyLeftAlone(work, action, voters);
  if (why) return postponed(`not restarting ${name}: ${why}`, 1_000);
  const minor = action.leavesMinor;
  const obstacle = minor === undefined ? undefined : await whyMinorCannotBeLeft(work, minor, voters, name);
  return obstacle ?? whyDataIsTooNew(work, action, voters);
}

function whyLeftAlone(
  { seen }: Work,
  { member: { name }, costsMajority }: RestartMember,
  voters: readonly Voter[],
): string | undefined {
  const others = voters.filter((voter) => voter.name !== name);
  const absent = others.find((voter) => !voter.isUp);
  if (absent) return `${absent.name} does not respond, or is about to stop`;
  if (!isUp(name, voters)) return undefined;
  // It was to get what it needs to start, and has started without.
  if (seen.pods.find((pod) => pod.name === name)?.answer.health !== "healthy") return "it responds again";
  return costsMajority || others.length >= majorityOf(voters.length) ? undefined : "there is no quorum without it";
}

/** An older etcd crashes on newer data: seconds pass between the request to downgrade and the downgraded data. */
async function whyDataIsTooNew(
  { etcd }: Work,
  { member: { name }, goesBackTo }: RestartMember,
  voters: readonly Voter[],
): Promise<Postponed | undefined> {
  if (goesBackTo === undefined || !isUp(name, voters)) return undefined;
  const { storageVersion } = await etcd.ask(name, (client, options) => client.status(options));
  // Before 3.6 no request is sent, and there is nothing to downgrade.
  if (!storageVersion) return undefined;
  // Of a member that has just started its data alone says little: it is of the older minor until it is raised.
  const agreed = await etcd.ask(name, (client, options) => client.clusterVersion(options));
  const above = [agreed, storageVersion].map(minorIn).find((minor) => minor !== goesBackTo);
  if (above) {
    return postponed(`waiting for etcd to downgrade the data of ${name} from ${above} to ${goesBackTo}`, 1_000);
  }
  // It saves its log right after it has gone down; without that the older etcd reads the log again, and crashes.
  // What it writes next, it writes after that: this question, for one.
  await etcd.ask(name, (client, options) => client.alarms(options));
  return undefined;
}

function minorIn(text: string): string {
  const version = parseVersion(text);
  return version ? minorOf(version) : text;
}

function isUp(name: string, voters: readonly Voter[]): boolean {
  return voters.some((voter) => voter.name === name && voter.isUp);
}

async function carryOut(
  work: Work,
  { member, pod, change }: RestartMember,
  live: Stored<Pod> | undefined,
): Promise<ActionOutcome> {
  if (change.kind === "pod") {
    // Where nothing runs there is nothing to lose, and the pod may be the only obstacle.
    if (live && isEtcdRunning(live)) await rehearseReturn(work, member, change.returnsWith);
    return takePodAway(work, member, pod, change.returnsWith);
  }
  const annotations = {
    [ANNOTATIONS.version]: change.version,
    [ANNOTATIONS.askedImage]: change.image,
    [ANNOTATIONS.replacedContainer]: live ? containerToReplace(live) : null,
    // It has an etcd again, whatever it was stopped for.
    ...(live && ownAnnotations(live).fenced && { [ANNOTATIONS.fenced]: null }),
  };
  const changes = { metadata: { annotations }, spec: { containers: [{ name: ETCD_CONTAINER, image: change.image }] } };
  let given: Stored<Pod> | undefined;
  const give = (to: ObjectId) =>
    unlessChanged(`Pod ${pod.name}`, async () => {
      given = await work.writer.patchStrategic(resources.pods, to, changes);
    });
  const outcome = await (live && isGateOpen(live) ? giveBehindClosedGate(work, pod, live, give) : give(pod));
  if (given) await noteAdmission(work, given, { image: change.image });
  return outcome;
}

const TRIES = 5;

/**
 * A voter that is about to stop must not count for the disruption budget any more: a drain in that second would take a
 * second one. The kubelet writes to the pod as soon as its gate closes, so the version that was seen counts for the
 * gate; after that, that the gate is still closed.
 */
async function giveBehindClosedGate(
  work: Work,
  { name, uid, resourceVersion }: ObjectId,
  live: Stored<Pod>,
  give: (to: ObjectId) => Promise<ActionOutcome>,
): Promise<ActionOutcome> {
  const changed = postponed(`Pod ${name} has changed since it was read`);
  if (live.metadata.uid !== uid || live.metadata.resourceVersion !== resourceVersion) return changed;
  try {
    await closeGate(work, live);
    for (let tries = 0; tries < TRIES; tries++) {
      const at = await work.live.find(resources.pods, name);
      if (at?.metadata.uid !== uid || at.metadata.deletionTimestamp || isGateOpen(at)) return changed;
      const outcome = await give(at.metadata);
      if (outcome.kind === "done") return outcome;
    }
    return changed;
  } catch (error) {
    // A rejected image must not keep clients away from a member that keeps running.
    await openGate(work, live).catch(() => undefined);
    throw error;
  }
}

/**
 * No member is stopped for a pod that the API server would refuse. It judges what a pod is like before it finds that
 * there is one of that name. What is used up now may be free once the old pod is gone.
 */
async function rehearseReturn(
  work: Work,
  { name, id }: MemberId,
  returnsWith: VersionChange | undefined,
): Promise<void> {
  const { cluster, claims, pods } = work.seen;
  const { clusterId, incarnation = 1 } = claims.find((claim) => claim.name === name) ?? {};
  const version = returnsWith?.to ?? pods.find((pod) => pod.name === name)?.version ?? cluster.spec.version;
  const start = { kind: "returning", clusterId: clusterId ?? "", memberId: id } as const;
  try {
    await work.live.rehearse(resources.pods, podOf(work, { name, version, incarnation, start }));
  } catch (error) {
    const isOfPod = hasCode(error, "invalid") || (hasCode(error, "forbidden") && !/exceeded quota/.test(error.message));
    if (isOfPod) throw error;
  }
}

/**
 * A deleted claim stays for as long as a pod uses it, and is removed with the pod: then the pod holds the only copy.
 */
async function takePodAway(
  work: Work,
  { name, id }: MemberId,
  pod: ObjectId,
  returnsWith: VersionChange | undefined,
): Promise<ActionOutcome> {
  const found = await work.live.find(resources.persistentVolumeClaims, name);
  const claim = found && claimSeen(found, work.seen.cluster.metadata.uid);
  if (claim?.memberId !== id || claim.isTerminating) {
    return postponed(`not restarting ${name}: its PVC does not exist`, 1_000);
  }
  return (await noteOnClaim(work, name, returnsWith)) ?? deletePod(work, pod);
}

/** Once its pod is deleted, only its claim records why. */
async function noteOnClaim(
  { seen, writer }: Work,
  name: string,
  change: VersionChange | undefined,
): Promise<Postponed | undefined> {
  const claim = seen.claims.find((each) => each.name === name);
  if (!change || !claim) return undefined;
  const annotations = { [ANNOTATIONS.returnsWith]: `${change.from} ${change.to}` };
  const outcome = await unlessChanged(`PVC ${name}`, () =>
    writer.patch(resources.persistentVolumeClaims, claim, { metadata: { annotations } }),
  );
  return outcome.kind === "postponed" ? outcome : undefined;
}
