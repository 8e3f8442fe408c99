import { catchUp, elect, electable, leaderOf, liveMembers, majoritySide, publishName } from "./etcd-model.ts";
import { isLeftToEviction } from "./known-gaps.ts";
import {
  deletePod,
  dropPod,
  endStaleProcess,
  IMAGE,
  NO_SUCH_IMAGE,
  NO_SUCH_VERSION,
  NO_SUCH_ZONE,
  startPod,
  stopProcess,
} from "./kubelet-model.ts";
import { isRemoved } from "./pod-steps.ts";
import { answerRecovery } from "./propose.ts";
import { refreshReadiness, take } from "./steps.ts";
import { changeCluster, type Etcd, type World } from "./world.ts";

const PASS_SECONDS = 15;

/** Users revert their mistakes, and everything else takes its course. */
export function calmDown(world: World, nodesReturn: boolean): void {
  const { spec } = world.cluster;
  if (spec.paused) changeCluster(world, { spec: { ...spec, paused: false } });
  correct(world);
  const restore = answerRecovery(world);
  if (restore) take(world, restore);
  letRun(world, nodesReturn);
}

/** The user reverts references to things that do not exist. */
export function correct(world: World): void {
  const { spec } = world.cluster;
  const isNowhere = spec.pod?.nodeSelector?.zone === NO_SUCH_ZONE;
  const isMistaken = spec.repository === NO_SUCH_IMAGE || spec.version === NO_SUCH_VERSION;
  if (!isNowhere && !isMistaken) return;
  const version = spec.version === NO_SUCH_VERSION ? "3.5.30" : spec.version;
  const repository = isMistaken ? IMAGE : spec.repository;
  const pod = isNowhere ? { ...spec.pod, nodeSelector: {} } : spec.pod;
  changeCluster(world, { spec: { ...spec, version, repository, ...(pod && { pod }) } });
}

/** Kubelets, nodes and etcd do what they do when they are left alone for a while. */
export function letRun(world: World, nodesReturn: boolean): void {
  for (const pod of [...world.pods.values()]) {
    if (nodesReturn) pod.node = "up";
    pod.side = 0;
    pod.isReachable = pod.node === "up";
    if (isLeftToEviction(pod)) deletePod(world, pod);
    if (pod.isTerminating && pod.node === "up") dropPod(world, pod);
  }
  for (const pod of world.pods.values()) {
    endStaleProcess(world, pod);
    startPod(world, pod);
  }
  settleEtcds(world);
  // The ones that waited for others to answer.
  for (const pod of world.pods.values()) startPod(world, pod);
  settleEtcds(world);
  world.nowMs += PASS_SECONDS * 1000;
  refreshReadiness(world);
}

/** Elections, replication, and all that members send each other. */
export function settleEtcds(world: World): void {
  for (const etcd of world.etcds.values()) settle(world, etcd);
}

function settle(world: World, etcd: Etcd): void {
  for (const pod of world.pods.values()) if (isRemoved(world, etcd, pod)) stopProcess(pod);
  const [candidate] = electable(world, etcd);
  if (!leaderOf(world, etcd) && candidate) elect(world, etcd, candidate);
  if (!leaderOf(world, etcd)) return;
  for (const { member } of majoritySide(world, etcd)) {
    if (member.name === "") publishName(world, etcd, member.id);
  }
  for (const { log } of majoritySide(world, etcd)) catchUp(etcd, log);
  endDowngrade(world, etcd);
}

/** When all have gone back, etcd finds out by itself. */
function endDowngrade(world: World, etcd: Etcd): void {
  const { downgradeTarget: target } = etcd;
  if (target === undefined) return;
  const live = liveMembers(world, etcd);
  const areBack = live.every(({ pod }) => pod.runs?.version.startsWith(`${target}.`));
  if (areBack && live.length === etcd.members.length) etcd.downgradeTarget = undefined;
}
