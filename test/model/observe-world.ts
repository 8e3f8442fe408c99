import type { Stored } from "@etcd-operator/kubernetes-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type {
  AnswerSeen,
  EtcdMember,
  LastStanding,
  MembershipSeen,
  ObjectSeen,
  Observation,
  OwnedObjects,
  PodSeen,
  RecoverySeen,
} from "@etcd-operator/operator/cluster/model/observation.ts";
import { situationOf } from "@etcd-operator/operator/cluster/model/situation.ts";
import { podDisruptionBudget } from "@etcd-operator/operator/cluster/objects/pod-disruption-budget.ts";
import { recoveryName } from "@etcd-operator/operator/cluster/objects/recovery-restore.ts";
import { clientService, peerService } from "@etcd-operator/operator/cluster/objects/service.ts";
import { answeredStatus } from "@etcd-operator/operator/cluster/observe/members/ask-member.ts";
import { lastStanding } from "@etcd-operator/operator/cluster/observe/members/last-standing.ts";
import { confirmedHealth } from "@etcd-operator/operator/cluster/observe/members/learner-health.ts";
import { ownAnnotations } from "@etcd-operator/operator/cluster/observe/own-annotations.ts";
import { podSeen, stageOf } from "@etcd-operator/operator/cluster/observe/pod-seen.ts";
import { withSetAside } from "@etcd-operator/operator/cluster/observe/set-aside-seen.ts";
import { provablyLost } from "@etcd-operator/operator/cluster/restore/provable-loss.rule.ts";
import { transferSecretName } from "@etcd-operator/operator/transfer/names.ts";
import { SEEN_FOR_EVER } from "@etcd-operator/testing/cluster/an-observation.ts";
import { healthyPods, runningLog } from "./etcd-model.ts";
import { statusIn } from "./member-in-world.ts";
import { backupOf, claimObject, podObject, restoreOf } from "./objects-in-world.ts";
import { type Member, NODES, type Pod, recordedId, type World, zoneOf } from "./world.ts";

const MOST_MEMBERS = 7;
const USABLE_NODES = NODES.map((name) => ({ name, zone: zoneOf(name), isUsable: true }));

/** What a reconcile would see of the world now. */
export function observeWorld(world: World): Observation {
  const healthy = healthyPods(world);
  const [allPods, allClaims] = [[...world.pods.values()], [...world.claims.values()]];
  const own = allPods.map((pod) => podObject(world, pod));
  const claims = allClaims.map((claim) => claimObject(world, claim));
  const { current, setAside } = withSetAside(world.cluster, own, claims);
  const answerOf = (uid: string) => {
    const pod = allPods.find((each) => each.uid === uid);
    return pod ? answerSeen(world, pod, healthy.has(pod)) : NOT_REACHED;
  };
  const last = lastStanding(world.cluster, own, setAside);
  const pods = withHealth(
    current.pods.map((pod) => podSeen(pod, last ? NOT_REACHED : answerOf(pod.metadata.uid), lacksSecret(world, pod))),
  );
  const seen: Observation = {
    nowMs: world.nowMs,
    askedAtMs: world.nowMs,
    seenFor: SEEN_FOR_EVER,
    cluster: world.cluster,
    problems: [],
    objects: objectsSeen(world),
    pods,
    claims: current.claims,
    setAside,
    ...(last && { lastStanding: lastSeenOf(world, last, answerOf(last.metadata.uid)) }),
    strangers: { leftoverPods: [], foreignPods: [] },
    membership: membershipSeen(world, pods),
    alarms: [],
    nodes: USABLE_NODES,
    spread: { attempts: 0, nodes: USABLE_NODES, isBackupRunning: false },
    tls: undefined,
    upgradeBackup: undefined,
    freshNames: Array.from({ length: MOST_MEMBERS }, (_, index) => `m${world.counter + index + 1}`),
  };
  return { ...seen, recovery: recoverySeen(world, seen) };
}

/** Asked only of those that wait for it. */
function lacksSecret({ secrets }: World, pod: Parameters<typeof podSeen>[0]): boolean {
  const { restoreUid, memberId } = ownAnnotations(pod);
  const isWaiting = restoreUid !== undefined && memberId === undefined && stageOf(pod) === "pending";
  return isWaiting && !secrets.has(transferSecretName(pod.metadata.name));
}

const NOT_REACHED = { health: "unknown", why: "not reached" } as const;

/** As the real eyes take it: a learner's word of a leader counts when a healthy voter confirms it. */
function withHealth(pods: readonly PodSeen[]): PodSeen[] {
  const answers = confirmedHealth(pods.map(({ answer }) => answer));
  return pods.map((pod, index) => ({ ...pod, answer: answers[index] ?? pod.answer }));
}

function recoverySeen(world: World, seen: Observation): RecoverySeen | undefined {
  const { backupName } = world.cluster.spec.recovery;
  if (!backupName || provablyLost(situationOf(seen)).length === 0) return undefined;
  const restoreName = recoveryName(world.cluster);
  const restore = world.recoveries.has(restoreName) ? restoreOf(world, restoreName) : undefined;
  return { backupName, backup: backupOf(world), restoreName, restore };
}

function lastSeenOf(world: World, last: Parameters<typeof podSeen>[0], answer: AnswerSeen): LastStanding {
  return { name: last.metadata.name, answer, membership: membershipSeen(world, [podSeen(last, answer)]) };
}

function answerSeen(world: World, pod: Pod, isFine: boolean): AnswerSeen {
  const log = runningLog(world, pod);
  if (!log || !pod.isReachable) return NOT_REACHED;
  const recorded = recordedId(world);
  if (recorded !== undefined && log.clusterId !== recorded) return { health: "unknown", otherClusterId: log.clusterId };
  const etcd = world.etcds.get(log.clusterId);
  if (!etcd) return NOT_REACHED;
  const status = answeredStatus(statusIn(world, { pod, log, etcd }));
  const isHealthy = isFine || (status.isLearner && status.leaderId !== undefined);
  return { health: isHealthy ? "healthy" : "unhealthy", status };
}

/**
 * A healthy voter answers for the majority. Any other has only its own copy, which may be behind; the newest is taken.
 */
function membershipSeen(world: World, pods: readonly PodSeen[]): MembershipSeen {
  const answers = pods.flatMap(({ name, answer }) => (answer.status ? [{ name, ...answer, ...answer.status }] : []));
  if (new Set(answers.map(({ clusterId }) => clusterId)).size !== 1) return { kind: "unknown" };
  const voters = answers.filter(({ isLearner }) => !isLearner).sort((a, b) => b.revision - a.revision);
  const majority = voters.find(({ health }) => health === "healthy");
  const agreed = majority && world.etcds.get(majority.clusterId)?.members;
  if (agreed) return { kind: "confirmed", members: agreed.map((member) => memberSeen(world, member)) };
  const newest = world.pods.get(voters[0]?.name ?? "");
  const log = newest && runningLog(world, newest);
  return log
    ? { kind: "unconfirmed", members: log.members.map((member) => memberSeen(world, member)) }
    : { kind: "unknown" };
}

function memberSeen({ cluster }: World, { id, name, host, isLearner }: Member): EtcdMember {
  return { id, name, peerUrls: [memberAddresses(cluster, host).peerUrl], isLearner };
}

function objectsSeen(world: World): OwnedObjects {
  const { hasPeerService, hasClientService, minAvailable } = world;
  const { peer, client, budgetOf } = objectsOf(world.cluster);
  return {
    peerService: hasPeerService ? peer : MISSING,
    clientService: hasClientService ? client : MISSING,
    disruptionBudget: minAvailable === undefined ? MISSING : budgetOf(minAvailable),
  };
}

const MISSING = { kind: "missing" } as const;

/** Made once: they follow from the name of the cluster, and a model reads them millions of times. */
let objects: ReturnType<typeof makeObjects> | undefined;

function objectsOf(cluster: World["cluster"]) {
  objects ??= makeObjects(cluster);
  return objects;
}

function makeObjects(cluster: World["cluster"]) {
  const budget = podDisruptionBudget(cluster, 1);
  return {
    peer: ours(peerService(cluster)),
    client: ours(clientService(cluster)),
    budgetOf: (minAvailable: number) => ours({ ...budget, spec: { ...budget.spec, minAvailable } }),
  };
}

function ours<T extends { metadata?: object }>(object: T): ObjectSeen<T> {
  const metadata = { uid: "uid", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
  return { kind: "ours", object: { ...object, metadata: { ...object.metadata, ...metadata } } as unknown as Stored<T> };
}
