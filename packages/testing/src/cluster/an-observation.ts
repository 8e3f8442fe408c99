import type { SeenFor } from "@etcd-operator/controller-runtime";
import { factsOf, parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster, EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { recordFor } from "@etcd-operator/operator/cluster/bootstrap/record-cluster.rule.ts";
import type {
  AnswerSeen,
  ClaimSeen,
  EtcdMember,
  ObjectSeen,
  Observation,
  PodSeen,
} from "@etcd-operator/operator/cluster/model/observation.ts";
import { situationOf } from "@etcd-operator/operator/cluster/model/situation.ts";
import { etcdCommand } from "@etcd-operator/operator/cluster/objects/pod/etcd-command.ts";
import {
  appliedKeys,
  metadataRecord,
  wantedMetadata,
} from "@etcd-operator/operator/cluster/objects/pod/pod-metadata.ts";
import { claimHash, specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import { podDisruptionBudget } from "@etcd-operator/operator/cluster/objects/pod-disruption-budget.ts";
import { clientService, peerService } from "@etcd-operator/operator/cluster/objects/service.ts";
import { A_CLAIM, anEtcdCluster } from "./an-etcd-cluster.ts";

export const CLUSTER_ID = "c1";
/** Then what is written down decides alone. */
export const SEEN_FOR_EVER: SeenFor = { ms: () => Number.POSITIVE_INFINITY };
export const NOW_MS = Date.parse("2030-01-01T00:00:00Z");

/** One member of an observation, as far as the case is about it. */
export interface MemberGiven {
  readonly name: string;
  /** Whether etcd's list has it, and as what; "unstarted" are those without a name yet. */
  readonly listed?: "voter" | "learner" | "unstarted-voter" | "unstarted-learner" | false;
  /** Absent: a running pod that answers as `health` says. null: no pod. */
  readonly pod?: Partial<PodSeen> | null;
  readonly claim?: Partial<ClaimSeen>;
  readonly health?: AnswerSeen["health"];
  readonly isLeader?: boolean;
}

export interface ObservationGiven {
  readonly size?: number;
  readonly version?: string;
  readonly spec?: object;
  readonly claims?: boolean;
  readonly metadata?: Partial<EtcdCluster["metadata"]>;
  readonly status?: EtcdClusterStatus;
  readonly members?: readonly MemberGiven[];
  readonly membership?: Observation["membership"]["kind"];
  readonly seen?: Partial<Observation>;
}

export const healthy = (name: string, more: Partial<MemberGiven> = {}): MemberGiven => ({ name, ...more });
export const leader = (name: string, more: Partial<MemberGiven> = {}): MemberGiven => ({
  name,
  isLeader: true,
  ...more,
});
export const unknown = (name: string, more: Partial<MemberGiven> = {}): MemberGiven => ({
  name,
  health: "unknown",
  ...more,
});
export const unhealthy = (name: string, more: Partial<MemberGiven> = {}): MemberGiven => ({
  name,
  health: "unhealthy",
  ...more,
});
/** In the list, but its pod is gone, and its data with it. */
export const gone = (name: string, more: Partial<MemberGiven> = {}): MemberGiven => ({
  name,
  pod: null,
  health: "unknown",
  ...more,
});

/**
 * For tests: a cluster that runs as its spec says, except for what the case is about. Ids are the names of the members.
 */
export function anObservation(given: ObservationGiven = {}): Observation {
  const { members = [leader("a"), healthy("b"), healthy("c")], claims = false } = given;
  const cluster = aStoredCluster(given, members);
  const listed = members.filter(({ listed: as = "voter" }) => as !== false);
  const voters = listed.filter(({ listed: as = "voter" }) => String(as).endsWith("voter")).length;
  const leaderId = members.find(({ isLeader }) => isLeader)?.name;
  return noted({
    nowMs: NOW_MS,
    seenFor: SEEN_FOR_EVER,
    cluster,
    problems: [],
    objects: {
      peerService: ours(peerService(cluster)),
      clientService: ours(clientService(cluster)),
      disruptionBudget: ours(podDisruptionBudget(cluster, voters)),
    },
    pods: members.flatMap((member) => (member.pod === null ? [] : [aPod(cluster, member, claims, leaderId)])),
    claims: members.flatMap((member) => (claims || member.claim ? [aClaim(cluster, member)] : [])),
    setAside: { pods: [], claims: [] },
    strangers: { leftoverPods: [], foreignPods: [] },
    membership: membershipOf(given.membership ?? "confirmed", cluster, listed),
    alarms: [],
    tls: undefined,
    upgradeBackup: undefined,
    freshNames: ["new-1", "new-2", "new-3", "new-4", "new-5", "new-6", "new-7"],
    ...given.seen,
  });
}

/** The claims of voters say which cluster they are of, unless the case says what they say. */
function noted(seen: Observation): Observation {
  const now = situationOf(seen);
  const claims = seen.claims.map((claim): ClaimSeen => {
    const voter = now.voters.find(({ etcd }) => etcd.id === claim.memberId);
    return voter && !("record" in claim) ? { ...claim, record: recordFor(voter, now) } : claim;
  });
  return { ...seen, claims };
}

function aStoredCluster(given: ObservationGiven, members: readonly MemberGiven[]): Stored<EtcdCluster> {
  const spec = {
    size: given.size ?? members.length,
    version: given.version ?? "3.5.30",
    ...(given.claims ? { pod: { persistentVolumeClaimSpec: A_CLAIM } } : {}),
    ...given.spec,
  };
  const status: EtcdClusterStatus = given.status ?? { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running" };
  const cluster = { ...anEtcdCluster(spec, { resourceVersion: "10", generation: 1, ...given.metadata }), status };
  return { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", ...cluster } as Stored<EtcdCluster>;
}

function aPod(cluster: EtcdCluster, member: MemberGiven, claims: boolean, leaderId: string | undefined): PodSeen {
  const { name, health = "healthy", listed = "voter" } = member;
  const isLearner = listed !== false && listed.endsWith("learner");
  const isStarted = listed !== false && !listed.startsWith("unstarted");
  const version = parseVersion(cluster.spec.version) ?? { major: 3, minor: 5, patch: 0 };
  const status = {
    clusterId: CLUSTER_ID,
    memberId: name,
    version: cluster.spec.version,
    leaderId,
    isLearner,
    revision: 100,
    databaseSizeBytes: 20_480,
  };
  return {
    name,
    uid: `uid-of-${name}`,
    resourceVersion: "1",
    createdAtMs: NOW_MS - 3_600_000,
    stage: "running",
    isTerminating: false,
    deletedAtMs: undefined,
    isScheduled: true,
    isEtcdRunning: true,
    awaitsNewImage: false,
    ip: "10.0.0.1",
    isReady: health === "healthy" && !isLearner,
    notReadySinceMs: undefined,
    gate: isStarted && !isLearner ? "open" : "closed",
    version: cluster.spec.version,
    specHash: specHash(cluster.spec),
    flags: etcdCommand({
      spec: cluster.spec,
      member: name,
      version,
      addresses: memberAddresses(cluster, name),
      start: { kind: "joining", clusterId: CLUSTER_ID, peers: [] },
    }).slice(1),
    asksForLivez: factsOf(version).hasLivezReadyz,
    metadata: { ...wantedMetadata(cluster.spec), applied: appliedKeys(metadataRecord(cluster.spec)) },
    image: `${cluster.spec.repository}:v${cluster.spec.version}`,
    incarnation: 1,
    memberId: isStarted && !isLearner ? name : undefined,
    clusterId: CLUSTER_ID,
    usesClaim: claims,
    refusal: undefined,
    trouble: undefined,
    answer: health === "unknown" ? { health, why: "not reached" } : { health, status },
    ...member.pod,
  };
}

function aClaim({ spec }: EtcdCluster, { name, listed = "voter", claim }: MemberGiven): ClaimSeen {
  const hasJoined = listed === "voter";
  return {
    name,
    uid: `uid-of-claim-${name}`,
    resourceVersion: "1",
    isTerminating: false,
    isOwned: false,
    incarnation: 1,
    memberId: hasJoined ? name : undefined,
    clusterId: hasJoined ? CLUSTER_ID : undefined,
    claimHash: claimHash(spec),
    returnsWith: undefined,
    storage: "1Gi",
    ...claim,
  };
}

function membershipOf(
  kind: Observation["membership"]["kind"],
  cluster: EtcdCluster,
  listed: readonly MemberGiven[],
): Observation["membership"] {
  if (kind === "unknown") return { kind };
  const members = listed.map(({ name, listed: as = "voter" }): EtcdMember => {
    const isStarted = as !== false && !as.startsWith("unstarted");
    return {
      id: name,
      name: isStarted ? name : "",
      peerUrls: [memberAddresses(cluster, name).peerUrl],
      isLearner: as !== false && as.endsWith("learner"),
    };
  });
  return { kind, members };
}

function ours<T extends object>(object: T): ObjectSeen<T> {
  const metadata = { uid: "uid", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" };
  const present = object as { metadata?: object };
  return { kind: "ours", object: { ...object, metadata: { ...present.metadata, ...metadata } } as Stored<T> };
}
