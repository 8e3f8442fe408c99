import { factsOf, parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import type {
  AnswerSeen,
  ClaimSeen,
  EtcdMember,
  LastStanding,
  MembershipSeen,
  ObjectSeen,
  Observation,
  OwnedObjects,
  PodSeen,
  RecoverySeen,
  SetAsidePod,
} from "@etcd-operator/operator/cluster/model/observation.ts";
import { situationOf } from "@etcd-operator/operator/cluster/model/situation.ts";
import { etcdCommand } from "@etcd-operator/operator/cluster/objects/pod/etcd-command.ts";
import { podDisruptionBudget } from "@etcd-operator/operator/cluster/objects/pod-disruption-budget.ts";
import { recoveryName } from "@etcd-operator/operator/cluster/objects/recovery-restore.ts";
import { clientService, peerService } from "@etcd-operator/operator/cluster/objects/service.ts";
import { confirmedHealth } from "@etcd-operator/operator/cluster/observe/members/learner-health.ts";
import { provablyLost } from "@etcd-operator/operator/cluster/restore/provable-loss.rule.ts";
import { isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { SEEN_FOR_EVER } from "@etcd-operator/testing/cluster/an-observation.ts";
import { majoritySide, runningLog } from "./etcd-model.ts";
import { type Claim, type Member, NODES, type Pod, recordedId, type World, zoneOf } from "./world.ts";

const MOST_MEMBERS = 7;
const USABLE_NODES = NODES.map((name) => ({ name, zone: zoneOf(name), isUsable: true }));

/** What a pass would see of the world now. */
export function observeWorld(world: World): Observation {
  const healthy = healthyPods(world);
  const isFormer = (made: Pod | Claim) => isSetAside(made, world.cluster.status);
  const [allPods, allClaims] = [[...world.pods.values()], [...world.claims.values()]];
  const pods = withHealth(allPods.filter((pod) => !isFormer(pod)).map((pod) => podSeen(world, pod, healthy)));
  const seen: Observation = {
    nowMs: world.nowMs,
    seenFor: SEEN_FOR_EVER,
    cluster: world.cluster,
    problems: [],
    objects: objectsSeen(world),
    pods,
    claims: allClaims.filter((claim) => !isFormer(claim)).map(claimSeen),
    setAside: {
      pods: allPods.filter(isFormer).map((pod) => setAsidePod(world, pod, healthy)),
      claims: allClaims.filter(isFormer).map(claimSeen),
    },
    lastStanding: lastStanding(world, allPods.filter(isFormer), healthy),
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

/** As the real eyes take it: a learner's word of a leader counts when a healthy voter confirms it. */
function withHealth(pods: readonly PodSeen[]): PodSeen[] {
  const answers = confirmedHealth(pods.map(({ answer }) => answer));
  return pods.map((pod, index) => ({ ...pod, answer: answers[index] ?? pod.answer }));
}

const BACKUP = {
  metadata: { name: "nightly" },
  spec: { storageType: "S3", s3: { path: "b/k" } },
} as EtcdBackup;

function recoverySeen(world: World, seen: Observation): RecoverySeen | undefined {
  const { backupName } = world.cluster.spec.recovery;
  if (!backupName || provablyLost(situationOf(seen)).length === 0) return undefined;
  const restoreName = recoveryName(world.cluster);
  const lastBackup = { path: "b/k_v1", clusterID: world.cluster.status?.clusterID };
  const backup = { ...BACKUP, status: { lastBackup } } as EtcdBackup;
  const ownerReferences = [{ uid: world.cluster.metadata.uid }];
  const restore = { metadata: { name: restoreName, ownerReferences } } as unknown as EtcdRestore;
  return { backupName, backup, restoreName, restore: world.recoveries.has(restoreName) ? restore : undefined };
}

function setAsidePod(world: World, pod: Pod, healthy: ReadonlySet<Pod>): SetAsidePod {
  const answer = { health: "unknown", why: "not asked" } as const;
  return { ...podSeen(world, pod, healthy), answer, mayRun: mayRun(pod) };
}

function lastStanding(world: World, former: readonly Pod[], healthy: ReadonlySet<Pod>): LastStanding | undefined {
  const { restore } = world.cluster.status ?? {};
  const [last, ...others] = former.filter(mayRun);
  if (restore?.state !== "Fencing" || !last || others.length > 0 || last.name !== restore.lastToStop) return undefined;
  const seen = podSeen(world, last, healthy);
  return { name: last.name, answer: seen.answer, membership: membershipSeen(world, [seen]) };
}

/** Whether etcd may run in a pod of before, as far as its kubelet has told. */
export function mayRun(pod: Pod): boolean {
  const hasStopped = pod.fencedImage !== undefined && pod.isFenceSeen === true && !pod.isSaidToRun;
  return pod.stage !== "ended" && !hasStopped;
}

/** The pods of members that read through a majority, and of learners that know a leader. */
export function healthyPods(world: World): ReadonlySet<Pod> {
  const pods = [...world.etcds.values()].flatMap((etcd) => {
    const there = majoritySide(world, etcd);
    const hasLeader = there.some(({ member }) => member.id === etcd.leaderId && !member.isLearner);
    return hasLeader ? there.map(({ pod }) => pod) : [];
  });
  return new Set(pods);
}

/** What the kubelet and the endpoints make of a pod; a learner is not ready. */
export function isReady(world: World, pod: Pod, healthy: ReadonlySet<Pod>): boolean {
  if (!healthy.has(pod) || pod.node !== "up" || pod.gate === "closed" || pod.stage !== "running") return false;
  const log = runningLog(world, pod);
  const members = world.etcds.get(log?.clusterId ?? "")?.members ?? [];
  return members.some(({ id, isLearner }) => id === log?.memberId && !isLearner);
}

/** Until the kubelet has looked at a pod, it has not been ready since it was made. */
export function notReadySinceMs({ notReadySinceMs: notedMs, wasReady, createdAtMs }: Pod): number | undefined {
  return notedMs ?? (wasReady ? undefined : createdAtMs);
}

function podSeen(world: World, pod: Pod, healthy: ReadonlySet<Pod>): PodSeen {
  const { name, uid, createdAtMs, stage, isTerminating, gate, memberId, clusterId, refusal } = pod;
  return {
    name,
    uid,
    resourceVersion: String(pod.version),
    createdAtMs,
    stage,
    isTerminating,
    deletedAtMs: pod.deletedAtMs,
    isScheduled: pod.emptyDir !== undefined || world.claims.has(name),
    ...((pod.emptyDir !== undefined || world.claims.has(name)) && { nodeName: pod.place }),
    isEtcdRunning: pod.isSaidToRun,
    awaitsNewImage: pod.runs !== undefined && pod.runs.image !== pod.image,
    ip: stage === "running" ? "10.0.0.1" : undefined,
    isReady: isReady(world, pod, healthy),
    notReadySinceMs: notReadySinceMs(pod),
    gate,
    version: pod.incarnation === undefined ? undefined : pod.etcdVersion,
    specHash: pod.specHash,
    image: pod.image,
    ...commandOf(world, pod.madeFor),
    metadata: { labels: pod.labels, annotations: {}, applied: { labels: Object.keys(pod.labels), annotations: [] } },
    incarnation: pod.incarnation,
    memberId,
    clusterId,
    usesClaim: pod.emptyDir === undefined,
    refusal: pod.isUp ? undefined : refusal,
    trouble: pod.isUp ? undefined : pod.trouble,
    ...(pod.fencedImage !== undefined && { fencedImage: pod.fencedImage }),
    ...(pod.start.kind === "restored" && {
      restoring: { uid: pod.start.restoreUid, hasFailed: false, lacksSecret: false },
    }),
    answer: answerSeen(world, pod, healthy.has(pod)),
  };
}

const commands = new Map<string, Pick<PodSeen, "flags" | "asksForLivez">>();

/** The flags of a pod that was made for a version, and what its probes ask for. Made once each, without what tells members apart. */
function commandOf({ cluster }: World, version: string): Pick<PodSeen, "flags" | "asksForLivez"> {
  const known = commands.get(version);
  if (known) return known;
  const parsed = parseVersion(version) ?? { major: 3, minor: 2, patch: 0 };
  const start = { kind: "joining", clusterId: "c1", peers: [] } as const;
  const input = { spec: cluster.spec, member: "m", version: parsed, addresses: memberAddresses(cluster, "m"), start };
  const command = { flags: etcdCommand(input).slice(1), asksForLivez: factsOf(parsed).hasLivezReadyz };
  commands.set(version, command);
  return command;
}

function claimSeen(claim: Claim): ClaimSeen {
  const { name, uid, version, isTerminating, isOwned, incarnation, memberId, clusterId } = claim;
  const { claimHash, returnsWith, storage, record, isLeaving } = claim;
  const [ids, made] = [
    { incarnation, memberId, clusterId },
    { claimHash, returnsWith, storage, ...(record && { record }), ...(isLeaving && { isLeaving }) },
  ];
  return { name, uid, resourceVersion: String(version), isTerminating, isOwned, ...ids, ...made };
}

function answerSeen(world: World, pod: Pod, isFine: boolean): AnswerSeen {
  const log = runningLog(world, pod);
  if (!log || !pod.isReachable) return { health: "unknown", why: "not reached" };
  const recorded = recordedId(world);
  if (recorded !== undefined && log.clusterId !== recorded) return { health: "unknown", otherClusterId: log.clusterId };
  const etcd = world.etcds.get(log.clusterId);
  const isLearner = log.members.find(({ id }) => id === log.memberId)?.isLearner ?? false;
  // A learner never campaigns: it names its leader for as long as its process lives, though that is dead.
  const leaderId = isFine || isLearner ? etcd?.leaderId : undefined;
  const status = {
    clusterId: log.clusterId,
    memberId: log.memberId,
    version: pod.runs?.version ?? pod.etcdVersion,
    leaderId,
    isLearner,
    revision: log.index,
    // Terms are not counted in the model; whoever leads has one of its own.
    log: { term: Number.parseInt(etcd?.leaderId ?? "0", 16), index: log.index },
    databaseSizeBytes: 20_480,
    ...(etcd?.downgradeTarget !== undefined && { downgradeTarget: etcd.downgradeTarget }),
  };
  const isHealthy = isFine || (isLearner && leaderId !== undefined);
  return { health: isHealthy ? "healthy" : "unhealthy", status };
}

/** A healthy voter answers for the majority. Any other has only its own copy, which may be behind; the newest is taken. */
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

/** Made once: they follow from the name of the cluster, and a model looks at them millions of times. */
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
