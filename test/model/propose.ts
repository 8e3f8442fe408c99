import { restoreRequestOf } from "@etcd-operator/operator/api/restore-request.ts";
import { leaderOf, liveMembers, runningLog } from "./etcd-model.ts";
import { IMAGE, MIRROR, NO_SUCH_IMAGE, NO_SUCH_VERSION, NO_SUCH_ZONE } from "./kubelet-model.ts";
import { isRemoved, type PodStep } from "./pod-steps.ts";
import type { Random } from "./random.ts";
import type { Step } from "./steps.ts";
import { isStale, type Pod, recordedEtcd, type World } from "./world.ts";

type Proposal = (world: World, random: Random) => Step | undefined;

/**
 * What may happen next, and how often in proportion. Steps that make progress are frequent, so that the cluster is
 * complete at times.
 */
const PROPOSALS: readonly (readonly [number, Proposal])[] = [
  [30, onPod("start", (pod) => !pod.isUp && pod.stage !== "ended")],
  [20, onPod("end-stale-process", isStale)],
  [20, onPod("finish", (pod) => pod.isTerminating && pod.node === "up")],
  [20, onPod("elect", (pod, world) => pod.isUp && lacksLeader(world))],
  [20, onPod("catch-up", (pod) => pod.isUp)],
  [20, onPod("publish", isUnpublished)],
  [10, onPod("notice-removal", (pod, world) => [...world.etcds.values()].some((etcd) => isRemoved(world, etcd, pod)))],
  [15, write],
  [8, (_, random) => ({ do: "wait", seconds: random.pick([1, 6, 15, 30, 90]) ?? 1 })],
  [8, onPod("node-returns", ({ node }) => node !== "up")],
  [8, heal],
  [3, onPod("crash", ({ isUp }) => isUp)],
  [2, onPod("delete", ({ isTerminating }) => !isTerminating)],
  [1, onPod("evict", ({ stage }) => stage !== "ended")],
  [1, onPod("node-dies", ({ node }) => node === "up")],
  [1, onPod("node-is-cut-off", ({ node }) => node === "up")],
  [1, onPod("force-delete", ({ node }) => node === "dead")],
  [2, onPod("hide", ({ isReachable }) => isReachable)],
  [2, onPod("part", ({ side }) => side === 0)],
  [1, (world, random) => claimStep("delete-claim", world, random)],
  [1, (world, random) => claimStep("wipe-claim", world, random)],
  [6, swap],
  [3, (_, random) => ({ do: "resize", size: 1 + random.int(7) })],
  [1, () => ({ do: "edit-image", repository: MIRROR })],
  [3, ({ cluster }) => (cluster.spec.repository === IMAGE ? undefined : { do: "edit-image", repository: IMAGE })],
  [1, (_, random) => ({ do: "edit-pods", graceSeconds: 10 + random.int(3) })],
  [2, editVersion],
  [
    3,
    ({ cluster }) => (cluster.spec.version === NO_SUCH_VERSION ? { do: "edit-version", version: "3.5.30" } : undefined),
  ],
  [1, () => ({ do: "pause", isPaused: true })],
  [6, ({ cluster }) => (cluster.spec.paused ? { do: "pause", isPaused: false } : undefined)],
  [1, ({ hasPeerService }) => (hasPeerService ? { do: "delete-services" } : undefined)],
  [8, answerRecovery],
  [2, (_, random) => ({ do: "request-restore", uid: `r${random.int(1_000_000)}`, isSaved: random.chance(0.6) })],
  [1, ({ cluster }) => (restoreRequestOf(cluster.metadata) ? { do: "cancel-restore" } : undefined)],
  [4, ({ cluster }) => (isRestoreOver(cluster) ? { do: "withdraw-request" } : undefined)],
  [1, ({ minAvailable }) => (minAvailable === undefined ? undefined : { do: "delete-budget" })],
];

/** Seldom, because what follows is the same for long. */
const SELDOM: readonly Proposal[] = [
  () => ({ do: "lose-status" }),
  () => ({ do: "delete-cluster" }),
  () => ({ do: "edit-image", repository: NO_SUCH_IMAGE }),
  ({ cluster }) => ({ do: "edit-zone", zone: cluster.spec.pod?.nodeSelector?.zone ? "" : NO_SUCH_ZONE }),
  ({ cluster }) =>
    cluster.spec.version.startsWith("3.5.") ? { do: "edit-version", version: NO_SUCH_VERSION } : undefined,
  (_, random) => ({ do: "edit-labels", team: random.pick(["a", "b"]) ?? "a" }),
  editClaims,
];

/** Patches go back and forth; minors too, one at a time. */
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  "3.3": ["3.3.25", "3.3.27"],
  "3.5": ["3.5.16", "3.5.30", "3.6.4"],
  "3.6": ["3.6.4", "3.6.11", "3.5.30"],
};

function editVersion({ cluster }: World, random: Random): Step | undefined {
  const version = random.pick(VERSIONS[cluster.spec.version.slice(0, 3)] ?? []);
  return version === undefined || version === cluster.spec.version ? undefined : { do: "edit-version", version };
}

function editClaims({ cluster }: World, random: Random): Step | undefined {
  if (!cluster.spec.pod?.persistentVolumeClaimSpec) return undefined;
  const [storage, storageClassName] = [random.pick(["1Gi", "2Gi"]) ?? "", random.pick(["slow", "fast"]) ?? ""];
  return { do: "edit-claims", storage, storageClassName };
}

/** Each as often as its weight says. */
const TICKETS: readonly Proposal[] = PROPOSALS.flatMap(([weight, proposal]) =>
  Array.from({ length: weight }, () => proposal),
);

/** Something that can happen in this world. */
export function propose(world: World, random: Random): Step {
  const seldom = random.chance(0.005) ? random.pick(SELDOM)?.(world, random) : undefined;
  if (seldom) return seldom;
  for (;;) {
    const step = random.pick(TICKETS)?.(world, random);
    if (step) return step;
  }
}

/** The controller of EtcdRestores does what the operator asked for. */
export function answerRecovery({ recoveries, requested }: World): Step | undefined {
  const uid = [...recoveries].find((name) => !requested.has(name));
  return uid === undefined ? undefined : { do: "request-restore", uid };
}

function isRestoreOver({ metadata, status }: World["cluster"]): boolean {
  const { uid, state = "" } = status?.restore ?? {};
  return uid !== undefined && restoreRequestOf(metadata)?.uid === uid && ["Done", "RolledBack"].includes(state);
}

function onPod(what: PodStep, isPossible: (pod: Pod, world: World) => boolean): Proposal {
  return (world, random) => {
    const pod = random.pick([...world.pods.values()].filter((each) => isPossible(each, world)));
    return pod && { do: what, pod: pod.name };
  };
}

function lacksLeader(world: World): boolean {
  return [...world.etcds.values()].some((etcd) => !leaderOf(world, etcd));
}

function isUnpublished(pod: Pod, world: World): boolean {
  const log = runningLog(world, pod);
  const members = world.etcds.get(log?.clusterId ?? "")?.members ?? [];
  return members.some(({ id, name }) => id === log?.memberId && name === "");
}

function write(world: World, random: Random): Step | undefined {
  const etcd = recordedEtcd(world);
  const live = etcd ? liveMembers(world, etcd) : [];
  return live.length > 0 ? { do: "write", by: random.some(live.map(({ pod }) => pod.name)) } : undefined;
}

function heal(world: World): Step | undefined {
  return [...world.pods.values()].some(({ side, isReachable }) => side === 1 || !isReachable)
    ? { do: "heal" }
    : undefined;
}

/**
 * Volumes whose pods know whose they are: before that it is unknown, and the operator keeps that time short (decision
 * 0011).
 */
function claimStep(what: "delete-claim" | "wipe-claim", world: World, random: Random): Step | undefined {
  const claim = random.pick(guardedClaims(world));
  return claim === undefined ? undefined : { do: what, claim };
}

function swap(world: World, random: Random): Step | undefined {
  const claims = guardedClaims(world).filter((name) => !world.pods.get(name)?.isPastGuard);
  const [claim, other] = [random.pick(claims), random.pick(claims)];
  return claim !== undefined && other !== undefined && claim !== other
    ? { do: "swap-claims", claim, other }
    : undefined;
}

function guardedClaims(world: World): string[] {
  return [...world.claims.values()].flatMap(({ name, memberId }) => {
    const pod = world.pods.get(name);
    return memberId !== undefined && (!pod || pod.memberId === memberId) ? [name] : [];
  });
}
