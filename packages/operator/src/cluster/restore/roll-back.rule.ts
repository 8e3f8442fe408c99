import { restoreRequestOf } from "../../api/restore-request.ts";
import type { PodSeen } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { activeRestore, undecidedRestore } from "./restoring.rule.ts";

/** Called off, or nobody asks for it any more; once the restored cluster is on record it may have taken writes, and there is no way back. */
export const callOffRestore: Rule = ({ seen, status }) => {
  const restore = undecidedRestore(status);
  const request = restoreRequestOf(seen.cluster.metadata);
  const isWanted = request?.uid === restore?.uid && !request?.isCanceled;
  // Whoever is identified was on record, though the status may have forgotten it.
  const hasServed = [...seen.pods, ...seen.claims].some(({ memberId }) => memberId !== undefined);
  if (!restore || isWanted || hasServed) return undefined;
  const why = request?.uid === restore.uid ? "was called off" : "does not ask for it any more";
  const message = `EtcdRestore ${restore.name} ${why}: what was there before comes back`;
  return { kind: "turn-restore", to: "RollingBack", reason: "RollingBack", message };
};

/** First whatever was made for the restore goes, then the cluster that was there before is the recorded one again. */
export const rollBack: Rule = ({ seen, status }) => {
  const restore = activeRestore(status);
  if (restore?.state !== "RollingBack") return undefined;
  const { pods, claims } = seen;
  const message = `Left over from a restore that was called off: ${listOf([...pods, ...claims].map(({ name }) => name))}`;
  const because = { reason: "RollingBack", message } as const;
  const goingPods = pods.filter(({ isTerminating }) => !isTerminating);
  if (goingPods.length > 0) return { kind: "delete-pods", pods: goingPods.map(idOf), ...because };
  if (pods.length > 0) return { kind: "hold", ...because };
  const goingClaims = claims.filter(({ isTerminating }) => !isTerminating);
  if (goingClaims.length > 0) return { kind: "delete-claims", claims: goingClaims.map(idOf), ...because };
  const back = restore.previousClusterID ? `etcd cluster ${restore.previousClusterID}` : "what was there before";
  return {
    kind: "turn-restore",
    to: "RolledBack",
    reason: "RestoreRolledBack",
    message: `${back} is back in its place`,
  };
};

/** Stopped pods get their etcd back when the restore that they made way for was called off, and their cluster is the recorded one again. */
export const releasePods: Rule = (now) => {
  const { seen, status } = now;
  const isOver = status.restore === undefined || status.restore.state === "RolledBack";
  const fenced = seen.pods.filter(
    (pod) => pod.fencedImage !== undefined && !pod.isTerminating && pod.stage !== "ended",
  );
  const released = fenced.filter((pod) => isOfThisCluster(pod, now));
  if (!isOver || released.length === 0) return undefined;
  const pods = released.map((pod) => ({ pod: idOf(pod), image: pod.fencedImage ?? "" }));
  const message = `${listOf(released.map(({ name }) => name))} may run again`;
  return { kind: "release-pods", pods, reason: "ReleasingPods", message };
};

/** What never said of which cluster it is has been made way for again, if something later is there: by a restore that the status has forgotten. */
function isOfThisCluster({ clusterId, incarnation = 0 }: PodSeen, { seen, status }: Situation): boolean {
  if (clusterId !== undefined && status.clusterID) return clusterId === status.clusterID;
  return ![...seen.pods, ...seen.claims].some((other) => (other.incarnation ?? 0) > incarnation);
}
