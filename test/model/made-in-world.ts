import { parseVersion } from "@etcd-operator/etcd-client";
import { GUARD_VARIABLES } from "@etcd-operator/operator/cluster/guard/variables.ts";
import type { MemberToStart } from "@etcd-operator/operator/cluster/model/action.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { claim as claimOf } from "@etcd-operator/operator/cluster/objects/claim.ts";
import { GUARD_CONTAINER } from "@etcd-operator/operator/cluster/objects/pod/guard-container.ts";
import { memberPod } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import type { Peer, Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import { imageOf } from "@etcd-operator/operator/cluster/observe/etcd-container.ts";
import { ownAnnotations } from "@etcd-operator/operator/cluster/observe/own-annotations.ts";
import { usesClaim } from "@etcd-operator/operator/cluster/observe/pod-seen.ts";
import { RESTORE_CONTAINER, transferSecretName } from "@etcd-operator/operator/transfer/names.ts";
import type { PersistentVolumeClaim as ClaimObject, Container, Pod as PodObject } from "kubernetes-types/core/v1.d.ts";
import {
  type Claim,
  emptyDisk,
  NODES,
  nextNumber,
  OUR_IMAGE,
  type Pod,
  recordedEtcd,
  type World,
  zoneOf,
} from "./world.ts";

/** The pod of a member, as the operator would make it. */
export function addPod(world: World, member: MemberToStart): Pod {
  const { name, incarnation, start } = member;
  const version = parseVersion(member.version) ?? { major: 3, minor: 2, patch: 0 };
  const made = memberPod({ cluster: world.cluster, member: name, version, incarnation, start, guardImage: OUR_IMAGE });
  if (start.kind === "restored") world.secrets.add(transferSecretName(name));
  return takePod(world, made);
}

/** The claim of a member, as the operator would make it. */
export function addClaim(world: World, name: string, incarnation: number): Claim {
  const made = claimOf(world.cluster, name, incarnation);
  if (!made) throw new Error("the spec asks for no claims");
  return takeClaim(world, made);
}

/** A pod that was created: nothing runs in it yet. */
export function takePod(world: World, made: PodObject, isMadeLate = false): Pod {
  const name = made.metadata?.name ?? "";
  const start = startOf(made);
  const pod: Pod = {
    name,
    uid: `pod-${nextNumber(world)}`,
    version: 1,
    createdAtMs: world.nowMs,
    spec: made.spec ?? { containers: [] },
    start,
    runs: undefined,
    zone: made.spec?.nodeSelector?.zone,
    place: placeFor(world, start.kind === "joining"),
    ...writtenOn(made),
    gate: "closed",
    emptyDir: usesClaim(made) ? undefined : emptyDisk(),
    stage: "pending",
    isTerminating: false,
    refusal: undefined,
    isPastGuard: false,
    isUp: false,
    isSaidToRun: false,
    trouble: undefined,
    node: "up",
    isReachable: true,
    side: 0,
    wasReady: false,
    notReadySinceMs: undefined,
    isMadeLate,
  };
  world.pods.set(name, pod);
  return pod;
}

export function takeClaim(world: World, made: ClaimObject): Claim {
  const name = made.metadata?.name ?? "";
  const uid = `claim-${nextNumber(world)}`;
  const claim = { name, uid, version: 1, isTerminating: false, ...writtenOnClaim(made), disk: emptyDisk() };
  world.claims.set(name, claim);
  return claim;
}

/** What of a pod the operator may write, as the model has it. */
export function writtenOn(object: PodObject) {
  const { labels = {}, annotations = {} } = object.metadata ?? {};
  const { version, incarnation, specHash, memberId, clusterId, fenced } = ownAnnotations(withMetadata(object));
  return {
    etcdVersion: version ?? "",
    image: imageOf(object),
    incarnation,
    specHash,
    labels,
    annotations,
    memberId,
    clusterId,
    fencedImage: fenced?.image,
  };
}

/** The same of a claim. */
export function writtenOnClaim(object: ClaimObject) {
  const { annotations = {}, ownerReferences = [] } = object.metadata ?? {};
  const own = ownAnnotations(withMetadata(object));
  const { incarnation, memberId, clusterId, claimHash, returnsWith, record } = own;
  return {
    isOwned: ownerReferences.length > 0,
    incarnation,
    memberId,
    clusterId,
    claimHash,
    returnsWith,
    record,
    isLeaving: own.isLeaving || undefined,
    annotations,
    storage: object.spec?.resources?.requests?.storage ?? "1Gi",
  };
}

/** What is about to be created has neither UID nor version, and nothing here asks for them. */
function withMetadata({ metadata }: { readonly metadata?: PodObject["metadata"] | undefined }) {
  return { metadata: metadata as Parameters<typeof ownAnnotations>[0]["metadata"] };
}

/** The flags of its guard and its etcd. */
function startOf({ metadata, spec }: PodObject): Start {
  const { annotations = {}, name = "" } = metadata ?? {};
  const guard = spec?.initContainers?.find((container) => container.name === GUARD_CONTAINER);
  const kind = guard?.env?.find((variable) => variable.name === GUARD_VARIABLES.start)?.value;
  const clusterId = annotations[ANNOTATIONS.clusterId] ?? "";
  switch (kind) {
    case "joining":
      return { kind, clusterId, peers: peersIn(annotations, name) };
    case "returning":
      return { kind, clusterId, memberId: annotations[ANNOTATIONS.memberId] ?? "" };
    case "restored":
      return {
        kind,
        ...restoring(spec?.initContainers),
        restoreUid: ownAnnotations(withMetadata({ metadata })).restoreUid ?? "",
      };
    default:
      return {
        kind: "seed",
        token: flagOf(spec?.containers[0], "--initial-cluster-token"),
        peers: peersIn(annotations, name),
      };
  }
}

function restoring(containers: readonly Container[] = []) {
  const tool = containers.find(({ name }) => name === RESTORE_CONTAINER);
  const revisionBump = Number(flagOf(tool, "--bump-revision") || 0);
  return { token: flagOf(tool, "--initial-cluster-token"), revisionBump };
}

function flagOf(container: Container | undefined, flag: string): string {
  const given = container?.command?.find((each) => each.startsWith(`${flag}=`));
  return given?.slice(flag.length + 1) ?? "";
}

/** The others in a member's initial cluster. */
function peersIn(annotations: Readonly<Record<string, string>>, itself: string): Peer[] {
  const told = annotations[ANNOTATIONS.initialCluster] ?? "";
  return told.split(",").flatMap((entry) => {
    const [name = "", peerUrl = ""] = entry.split("=");
    return name === itself ? [] : [{ name, peerUrl }];
  });
}

/**
 * Often beside another, as while nodes are cordoned; one that joins where members share a node or a zone goes to where
 * fewest are.
 */
function placeFor(world: World, isJoining: boolean): string {
  const hosts = new Set(recordedEtcd(world)?.members.map(({ host }) => host));
  const there = [...world.pods.values()].filter(({ name, isTerminating }) => hosts.has(name) && !isTerminating);
  const on = (node: string) => there.filter(({ place }) => place === node).length;
  const nearby = (node: string) => there.filter(({ place }) => zoneOf(place) === zoneOf(node)).length;
  const isCrowded = NODES.some((node) => nearby(node) > 1);
  if (!isCrowded || !isJoining) return NODES[world.counter % 2] ?? "";
  return [...NODES].sort((a, b) => on(a) - on(b) || nearby(a) - nearby(b))[0] ?? "";
}

export function storageOf({ cluster }: World): string {
  return String(cluster.spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage ?? "1Gi");
}
