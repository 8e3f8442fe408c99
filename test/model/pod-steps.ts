import { catchUp, elect, electable, liveMembers, publishName, runningLog } from "./etcd-model.ts";
import { deletePod, dropPod, endPod, endStaleProcess, startPod, stopProcess } from "./kubelet-model.ts";
import type { Etcd, Log, Pod, World } from "./world.ts";

/** What can happen to a pod, and to the member in it. */
export type PodStep = keyof typeof EFFECTS;

export function takeOnPod(world: World, pod: Pod, step: PodStep): void {
  EFFECTS[step](world, pod);
}

const EFFECTS = {
  start: startPod,
  "end-stale-process": endStaleProcess,
  crash: (_: World, pod: Pod) => {
    if (pod.node === "up" && pod.isUp) stopProcess(pod);
  },
  delete: deletePod,
  /** The kubelet has ended everything in a pod that is being deleted. */
  finish: (world: World, pod: Pod) => {
    if (pod.isTerminating && pod.node === "up") dropPod(world, pod);
  },
  evict: (world: World, pod: Pod) => {
    if (pod.node === "up") endPod(world, pod);
  },
  "node-dies": (_: World, pod: Pod) => {
    Object.assign(pod, { node: "dead", isUp: false, isPastGuard: false });
  },
  "node-is-cut-off": (_: World, pod: Pod) => {
    Object.assign(pod, { node: "cut-off", isReachable: false });
  },
  "node-returns": (_: World, pod: Pod) => {
    Object.assign(pod, { node: "up", isReachable: true });
  },
  "force-delete": (world: World, pod: Pod) => {
    if (pod.node === "dead") dropPod(world, pod);
  },
  /** The operator does not get through to it any more. */
  hide: (_: World, pod: Pod) => {
    pod.isReachable = false;
  },
  /** The other members do not get through to it any more, except those that were parted from the rest too. */
  part: (_: World, pod: Pod) => {
    pod.side = 1;
  },
  elect: inEtcd((world, pod, { etcd }) => {
    const candidate = electable(world, etcd).find((live) => live.pod === pod);
    if (candidate) elect(world, etcd, candidate);
  }),
  "catch-up": inEtcd((world, pod, { etcd, log }) => {
    if (isWithLeader(world, etcd, pod)) catchUp(etcd, log);
  }),
  publish: inEtcd((world, pod, { etcd, log }) => {
    if (!isWithLeader(world, etcd, pod)) return;
    publishName(world, etcd, log.memberId);
    catchUp(etcd, log);
  }),
  "notice-removal": inEtcd((world, pod, { etcd }) => {
    if (isRemoved(world, etcd, pod)) stopProcess(pod);
  }),
};

/** Whether it runs though it was removed: it learns that from its peers, if it reaches any. */
export function isRemoved(world: World, etcd: Etcd, pod: Pod): boolean {
  const log = runningLog(world, pod);
  if (log?.clusterId !== etcd.clusterId || etcd.members.some(({ id }) => id === log.memberId)) return false;
  return liveMembers(world, etcd).some((live) => live.pod.side === pod.side);
}

type Within = (world: World, pod: Pod, place: { readonly etcd: Etcd; readonly log: Log }) => void;

function inEtcd(act: Within) {
  return (world: World, pod: Pod) => {
    const log = runningLog(world, pod);
    const etcd = world.etcds.get(log?.clusterId ?? "");
    if (log && etcd) act(world, pod, { etcd, log });
  };
}

function isWithLeader(world: World, etcd: Etcd, pod: Pod): boolean {
  const live = liveMembers(world, etcd);
  const leader = live.find(({ member }) => member.id === etcd.leaderId);
  return leader?.pod.side === pod.side && live.some((member) => member.pod === pod);
}
