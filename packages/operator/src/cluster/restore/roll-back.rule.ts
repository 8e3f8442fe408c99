import { restoreRequestOf } from "../../api/restore-request.ts";
import type { PodSeen } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";
import { activeRestore, undecidedRestore } from "./restoring.rule.ts";

/**
 * Cancelled, or not requested any more; once the restored cluster is recorded it may have taken writes, and no
 * rollback is possible.
 */
export const callOffRestore: Rule = ({ seen, status }) => {
  const restore = undecidedRestore(status);
  const request = restoreRequestOf(seen.cluster.metadata);
  const isWanted = request?.uid === restore?.uid && !request?.isCanceled;
  // An identified member was recorded, though the status may have lost it.
  const hasServed = [...seen.pods, ...seen.claims].some(({ memberId }) => memberId !== undefined);
  if (!restore || isWanted || hasServed) return undefined;
  const why = request?.uid === restore.uid ? "was cancelled" : "is not requested any more";
  const message = `EtcdRestore ${restore.name} ${why}: rolling back to the previous cluster`;
  return { kind: "turn-restore", to: "RollingBack", reason: "RollingBack", message };
};

/** First the objects created for the restore are deleted, then the previous cluster is recorded again. */
export const rollBack: Rule = ({ seen, status }) => {
  const restore = activeRestore(status);
  if (restore?.state !== "RollingBack") return undefined;
  const { pods, claims } = seen;
  const message = `Cleaning up after a cancelled restore: ${listOf([...pods, ...claims].map(({ name }) => name))}`;
  const because = { reason: "RollingBack", message } as const;
  const goingPods = pods.filter(({ isTerminating }) => !isTerminating);
  if (goingPods.length > 0) return { kind: "delete-pods", pods: goingPods.map(idOf), ...because };
  if (pods.length > 0) return { kind: "hold", ...because };
  const goingClaims = claims.filter(({ isTerminating }) => !isTerminating);
  if (goingClaims.length > 0) return { kind: "delete-claims", claims: goingClaims.map(idOf), ...because };
  const back = restore.previousClusterID ? `etcd cluster ${restore.previousClusterID}` : "the previous state";
  return {
    kind: "turn-restore",
    to: "RolledBack",
    reason: "RestoreRolledBack",
    message: `Rolled back to ${back}`,
  };
};

/**
 * Stopped pods get their etcd again when the restore that stopped them was cancelled, and their cluster is recorded
 * again.
 */
export const releasePods: Rule = (now) => {
  const { seen, status } = now;
  const isOver = status.restore === undefined || status.restore.state === "RolledBack";
  const fenced = seen.pods.filter(
    (pod) => pod.fencedImage !== undefined && !pod.isTerminating && pod.stage !== "ended",
  );
  const released = fenced.filter((pod) => isOfThisCluster(pod, now));
  if (!isOver || released.length === 0) return undefined;
  const pods = released.map((pod) => ({ pod: idOf(pod), image: pod.fencedImage ?? "" }));
  const message = `Starting etcd again in ${listOf(released.map(({ name }) => name))}`;
  return { kind: "release-pods", pods, reason: "ReleasingPods", message };
};

/**
 * What never said of which cluster it is has been made way for again, if something later is there: by a restore that
 * the status has forgotten.
 */
function isOfThisCluster({ clusterId, incarnation = 0 }: PodSeen, { seen, status }: Situation): boolean {
  if (clusterId !== undefined && status.clusterID) return clusterId === status.clusterID;
  return ![...seen.pods, ...seen.claims].some((other) => (other.incarnation ?? 0) > incarnation);
}
