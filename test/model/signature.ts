import { specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import { isToldOf, notReadySinceMs } from "./kubelet-model.ts";
import type { Claim, Disk, Etcd, Member, Pod, World } from "./world.ts";
import { diskOf, recordedEtcd } from "./world.ts";

/**
 * All that decides what comes next, without names, ids and the time of day: two worlds with one signature end alike. It
 * is about one recorded cluster; anything beside it makes the signature useless.
 */
export function signatureOf(world: World): string {
  const { cluster, pods, claims } = world;
  const etcd = recordedEtcd(world);
  const intents = cluster.status?.memberIntents ?? [];
  const names = new Set([
    ...pods.keys(),
    ...claims.keys(),
    ...(etcd?.members ?? []).map(({ host }) => host),
    ...intents.map(({ name }) => name),
  ]);
  const parts = [...names].map((name) =>
    [
      ofEntry(etcd, name),
      ofPod(world, pods.get(name), etcd),
      ofClaim(claims.get(name), etcd, name),
      intents.some((intent) => intent.name === name),
      agoOf(world, name),
    ].join(" "),
  );
  const isCalm = etcd !== undefined && world.nowMs - etcd.calmSinceMs >= 5000;
  const asked = [cluster.spec.version, cluster.spec.repository, specHash(cluster.spec)];
  const common = [
    ...asked,
    etcd?.downgradeTarget,
    cluster.spec.size,
    world.minAvailable,
    isCalm,
    world.etcds.size,
    world.hasPeerService,
    cluster.status?.restore?.state,
  ];
  return [...common, ...parts.sort()].join("\n");
}

function ofEntry(etcd: Etcd | undefined, name: string): string {
  const entry = etcd?.members.find(({ host }) => host === name);
  if (!etcd || !entry) return "-";
  return `${entry.isLearner} ${entry.name !== ""} ${etcd.leaderId === entry.id}`;
}

function ofPod(world: World, pod: Pod | undefined, etcd: Etcd | undefined): string {
  if (!pod) return "-";
  const entry = etcd?.members.find(({ host }) => host === pod.name);
  const { stage, isTerminating, isUp, isPastGuard, node, refusal, gate, isReachable, side, start } = pod;
  const told = start.kind === "joining" ? isToldOf(pod.name, start.peers, etcd?.members ?? []) : start.kind;
  const data = pod.emptyDir ? ofDisk(pod.emptyDir, entry, etcd) : "claim";
  const isOwn = diskOf(world, pod)?.markedBy === pod.uid;
  const hasId = pod.memberId === undefined ? "none" : pod.memberId === entry?.id;
  return [
    stage,
    isTerminating,
    isUp,
    isPastGuard,
    node,
    refusal,
    gate,
    isReachable,
    side,
    told,
    data,
    isOwn,
    hasId,
    pod.image,
    pod.runs?.image,
    pod.specHash,
    pod.isSaidToRun,
    pod.trouble,
    world.takenDown.has(pod.memberId ?? ""),
  ].join(" ");
}

function ofClaim(claim: Claim | undefined, etcd: Etcd | undefined, name: string): string {
  if (!claim) return "-";
  const entry = etcd?.members.find(({ host }) => host === name);
  const hasId = claim.memberId === undefined ? "none" : claim.memberId === entry?.id;
  const { returnsWith: { from = "", to = "" } = {} } = claim;
  return [claim.isTerminating, claim.isOwned, hasId, claim.claimHash, from, to, ofDisk(claim.disk, entry, etcd)].join(
    " ",
  );
}

function ofDisk({ log }: Disk, entry: Member | undefined, etcd: Etcd | undefined): string {
  if (!log || !etcd) return "empty";
  return `${log.memberId === entry?.id} ${log.index >= etcd.acknowledged} ${log.index >= etcd.index}`;
}

/**
 * For how long it has not been healthy, as the planner counts it, in reconciles; nothing waits for longer than the last
 * one listed.
 */
function agoOf({ cluster, nowMs, pods }: World, name: string): string {
  const noted = cluster.status?.memberStatus?.find((member) => member.name === name);
  const served = [noted?.podHash, noted?.servedPodHash, noted?.version].join(" ");
  if (noted?.notHealthySince === undefined) return served;
  const pod = pods.get(name);
  const podMs = pod ? [notReadySinceMs(pod) ?? 0, pod.deletedAtMs ?? 0] : [];
  const sinceMs = Math.max(Date.parse(noted.notHealthySince), ...podMs);
  return `${served} ${Math.min(21, Math.floor((nowMs - sinceMs) / 15_000))}`;
}
