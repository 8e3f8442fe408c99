import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { ClusterRecord } from "@etcd-operator/operator/cluster/bootstrap/cluster-record.ts";
import type { Refusal } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import type { VersionChange } from "@etcd-operator/operator/cluster/model/observation.ts";
import type { Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { PodSpec } from "kubernetes-types/core/v1.d.ts";

/** Everything there is: one EtcdCluster, what was made for it, and the etcd clusters that live in its pods. */
export interface World {
  nowMs: number;
  /** Counts up for UIDs, resource versions, ids and names. */
  counter: number;
  cluster: Stored<EtcdCluster>;
  /**
   * Services and the disruption budget, as far as a model of membership cares: whether they are there, and what the
   * budget says.
   */
  hasPeerService: boolean;
  hasClientService: boolean;
  minAvailable: number | undefined;
  readonly pods: Map<string, Pod>;
  readonly claims: Map<string, Claim>;
  readonly etcds: Map<string, Etcd>;
  /** Members whose etcd has run at least once. */
  readonly haveRun: Set<string>;
  /** Those that ran after the cluster was recorded, and so may have acknowledged writes to clients. */
  readonly haveServed: Set<string>;
  /** Voters that were running when the operator took them down for a change, and that are not back yet. */
  readonly takenDown: Set<string>;
  /** Secrets by which pods get a snapshot, by name; each is deleted with its pod. */
  readonly secrets: Set<string>;
  /** EtcdRestores that the operator has asked for, by name, and those that their controller has taken up. */
  readonly recoveries: Set<string>;
  readonly requested: Set<string>;
  /** Claims that a restore has set aside though nothing of them is in a store: their UIDs, and that of the restore. */
  readonly unsaved: Map<string, string>;
  /** Promises that were broken, in the words of the check that noticed. */
  readonly broken: string[];
}

export interface Pod {
  readonly name: string;
  readonly uid: string;
  version: number;
  readonly createdAtMs: number;
  /** What it was created with; the image is a field of its own. */
  readonly spec: PodSpec;
  readonly start: Start;
  /** What the pod says; its process may still be an older one. */
  etcdVersion: string;
  image: string;
  /** What its latest process was started from. */
  runs: Release | undefined;
  /** Where it wants to run; undefined: anywhere. */
  readonly zone?: string | undefined;
  /** The node that it was scheduled to. */
  readonly place: string;
  /** Absent on what coreos/etcd-operator made: no guard, no gate, no annotations, and it never restarts. */
  readonly incarnation: number | undefined;
  specHash: string | undefined;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  memberId: string | undefined;
  clusterId: string | undefined;
  gate: "absent" | "open" | "closed";
  /** Its own directory; undefined when it uses the claim of its name. */
  readonly emptyDir: Disk | undefined;
  stage: "pending" | "running" | "ended";
  isTerminating: boolean;
  deletedAtMs?: number;
  refusal: Refusal | undefined;
  /** The guard has let it in. It is not asked again when the container restarts, but when the node does. */
  isPastGuard: boolean;
  isUp: boolean;
  /** The same as the kubelet last reported it; a lost node does not report the truth. */
  isSaidToRun: boolean;
  /** Why the scheduler or the kubelet does not get it to run. */
  trouble: "Unschedulable" | "ImagePullBackOff" | "CrashLoopBackOff" | "CreateContainerError" | undefined;
  /** "cut-off": the kubelet reports nothing any more, but what it runs goes on running. */
  node: "up" | "cut-off" | "dead";
  /** Whether the operator gets through to it. */
  isReachable: boolean;
  /** Members reach those of the same side. */
  side: 0 | 1;
  wasReady: boolean;
  notReadySinceMs: number | undefined;
  /** What it ran before it was stopped for a restore. */
  fencedImage?: string | undefined;
  /** The kubelet has taken in that it was stopped. */
  isFenceSeen?: boolean;
  /** Made by an operator that had slept between its second look and the write. */
  readonly isMadeLate?: boolean;
}

/** What a process is started from. */
export interface Release {
  readonly image: string;
  readonly version: string;
  /** Of its container. */
  readonly id: string;
}

/** Whether the kubelet has yet to end a process, because its pod has got another image. */
export function isStale({ isUp, runs, image }: Pod): boolean {
  return isUp && runs?.image !== image;
}

export interface Claim {
  readonly name: string;
  readonly uid: string;
  version: number;
  isTerminating: boolean;
  isOwned: boolean;
  readonly incarnation: number | undefined;
  memberId: string | undefined;
  clusterId: string | undefined;
  claimHash: string | undefined;
  returnsWith: VersionChange | undefined;
  /** What it says of its cluster, once that is noted. */
  record?: ClusterRecord | undefined;
  isLeaving?: true | undefined;
  annotations: Readonly<Record<string, string>>;
  storage: string;
  disk: Disk;
}

export function emptyDisk(): Disk {
  return { markedBy: undefined, log: undefined };
}

export interface Disk {
  /** The UID of the pod whose guard found it empty. */
  markedBy: string | undefined;
  log: Log | undefined;
}

/** What a member has written down. A member that has an index has everything before it. */
export interface Log {
  readonly memberId: string;
  readonly clusterId: string;
  index: number;
  members: readonly Member[];
}

export interface Member {
  readonly id: string;
  /** Empty until it has reported it to the others. */
  readonly name: string;
  /** The first label of its peer URL. */
  readonly host: string;
  readonly isLearner: boolean;
}

/** What a majority of an etcd cluster has agreed on. */
export interface Etcd {
  readonly clusterId: string;
  members: readonly Member[];
  /** The newest entry, and the newest that was acknowledged to a client. */
  index: number;
  acknowledged: number;
  leaderId: string | undefined;
  /** Since when all have been connected, as far as etcd's own check goes. */
  calmSinceMs: number;
  /** The minor that it was asked to downgrade its data to. */
  downgradeTarget?: string | undefined;
  /** Written into the log since its newest entry, too few to be one. */
  questions?: number;
}

export interface Ground {
  readonly size: number;
  readonly hasClaims: boolean;
  readonly isParallel: boolean;
  readonly hasLearners: boolean;
  readonly keepsClaims: boolean;
  /** coreos/etcd-operator made it and left it running. */
  readonly isOld: boolean;
  /** The user wants members moved that share a node. */
  readonly rebalances?: boolean;
  /** The user wants a backup restored when a majority has lost its data. */
  readonly recovers?: boolean;
}

/** The operator's own, in which there is no etcd. */
export const OUR_IMAGE = "example/etcd-operator:test";

/** Where pods run. */
export const NODES: readonly string[] = ["n1", "n2", "n3", "n4"];

/** The two that members get at first are in one zone. */
export function zoneOf(node: string): string {
  return node === "n1" || node === "n2" ? "a" : node;
}

export const START_MS = Date.parse("2030-01-01T00:00:00Z");

export function newWorld(ground: Ground): World {
  return {
    nowMs: START_MS,
    counter: 0,
    cluster: clusterOf(ground),
    hasPeerService: false,
    hasClientService: false,
    minAvailable: undefined,
    pods: new Map(),
    claims: new Map(),
    etcds: new Map(),
    haveRun: new Set(),
    haveServed: new Set(),
    takenDown: new Set(),
    secrets: new Set(),
    recoveries: new Set(),
    requested: new Set(),
    unsaved: new Map(),
    broken: [],
  };
}

const clusters = new Map<string, Stored<EtcdCluster>>();

/** Parsed once each: there are few grounds and many worlds. */
function clusterOf(ground: Ground): Stored<EtcdCluster> {
  const key = JSON.stringify(ground);
  const cluster = clusters.get(key) ?? parsed(ground);
  clusters.set(key, cluster);
  return cluster;
}

function parsed(ground: Ground): Stored<EtcdCluster> {
  const { size, hasClaims, isParallel, hasLearners: isNew, keepsClaims, recovers, rebalances } = ground;
  const spec = {
    size,
    version: isNew ? "3.5.30" : "3.3.25",
    bootstrap: { mode: isParallel ? "Parallel" : "Sequential" },
    rebalance: rebalances ? "Automatic" : "Off",
    persistentVolumeClaimRetentionPolicy: { whenScaled: keepsClaims ? "Retain" : "Delete" },
    ...(recovers ? { recovery: { onQuorumLoss: "RestoreLatestBackup", backupName: "nightly", graceSeconds: 60 } } : {}),
    ...(hasClaims ? { pod: { persistentVolumeClaimSpec: A_CLAIM } } : {}),
  };
  const metadata = { resourceVersion: "1", generation: 1, creationTimestamp: new Date(START_MS).toISOString() };
  const kind = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster" };
  return { ...anEtcdCluster(spec, metadata), ...kind } as Stored<EtcdCluster>;
}

/** A world of its own, to try what would come. */
export function copyOf(world: World): World {
  return {
    ...world,
    pods: new Map([...world.pods].map(([name, pod]) => [name, copyOfPod(pod)])),
    claims: new Map([...world.claims].map(([name, claim]) => [name, { ...claim, disk: copyOfDisk(claim.disk) }])),
    etcds: new Map([...world.etcds].map(([id, etcd]) => [id, { ...etcd }])),
    haveRun: new Set(world.haveRun),
    haveServed: new Set(world.haveServed),
    takenDown: new Set(world.takenDown),
    secrets: new Set(world.secrets),
    recoveries: new Set(world.recoveries),
    requested: new Set(world.requested),
    unsaved: new Map(world.unsaved),
    broken: [...world.broken],
  };
}

function copyOfPod(pod: Pod): Pod {
  return { ...pod, emptyDir: pod.emptyDir && copyOfDisk(pod.emptyDir) };
}

function copyOfDisk({ markedBy, log }: Disk): Disk {
  return { markedBy, log: log && { ...log } };
}

export function nextNumber(world: World): number {
  world.counter += 1;
  return world.counter;
}

/** The directory that a pod has mounted; undefined while its claim is not there. */
export function diskOf(world: World, pod: Pod): Disk | undefined {
  return pod.emptyDir ?? world.claims.get(pod.name)?.disk;
}

export function recordedId(world: World): string | undefined {
  return world.cluster.status?.clusterID;
}

/** The etcd cluster that the operator has recorded. */
export function recordedEtcd(world: World): Etcd | undefined {
  return world.etcds.get(recordedId(world) ?? "");
}

export function hasLearners(world: World): boolean {
  return !/^3\.[23]\./.test(world.cluster.spec.version);
}

/** Sets annotations of the cluster's own object, or with undefined takes them away. */
export function annotateCluster(world: World, annotations: Readonly<Record<string, string | undefined>>): void {
  changeCluster(world, {});
  const all = { ...world.cluster.metadata.annotations, ...annotations };
  const kept = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  world.cluster = { ...world.cluster, metadata: { ...world.cluster.metadata, annotations: kept } };
}

/** Every write on the cluster's own object gives it a new resourceVersion. */
export function changeCluster(world: World, change: Partial<EtcdCluster>): void {
  const { metadata } = world.cluster;
  const resourceVersion = String(Number(metadata.resourceVersion) + 1);
  const generation = (metadata.generation ?? 1) + (change.spec ? 1 : 0);
  world.cluster = {
    ...world.cluster,
    ...change,
    metadata: { ...metadata, resourceVersion, generation },
  } as World["cluster"];
}
