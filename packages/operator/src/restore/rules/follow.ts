import { restoreRequestOf } from "../../api/restore-request.ts";
import type { Action } from "../action.ts";
import { conditionOf, isBegun, isTrue } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import type { GiveUpReason } from "../reasons.ts";
import { isLossDue, quorumLost, untilLostMs } from "../restored-loss.ts";
import type { Situation } from "../situation.ts";
import { confirm } from "./confirm.ts";
import { guideSeed } from "./guide-seed.ts";
import { requestOf } from "./request-of.ts";
import { stillNeeded } from "./still-needed.ts";
import { withdrawRequest } from "./withdraw-request.ts";

/** Once a cluster was asked: accompanies it until it is done, or back where it was. */
export function follow(now: Situation): Action | undefined {
  const { seen, request, state } = now;
  const { restore, cluster } = seen;
  if (!isBegun(restore)) return undefined;
  const wasAsked = restore.status?.phase === "Restoring" || restore.status?.phase === "Joining";
  if (!request && !state && !wasAsked) return undefined;
  if (!cluster || cluster.metadata.deletionTimestamp) return clusterLost(seen);
  switch (state) {
    case "Done":
      return confirm(now);
    case "RolledBack":
      return rolledBack(seen);
    case "RollingBack":
      return hold(seen, "Rolling back to the previous cluster");
    case "Joining":
      return joining(seen);
    case "Fencing":
    case "Restoring":
    case undefined:
      return beforeServing(now);
  }
}

/** Its members may be back while no operator manages the cluster, whose last status stays. */
const ASK_AGAIN_MS = 10_000;

function joining(seen: Observation): Action {
  const { cluster, members, nowMs } = seen;
  const isDue = isLossDue(cluster, nowMs);
  const isServing = members.some(({ isHealthy, isLearner }) => isHealthy && !isLearner);
  if (isDue && !isServing) return lost(seen);
  const { spec, status } = cluster ?? {};
  const step = "Adding the other members";
  const held = hold(seen, `${step}: ${status?.readyMembers ?? 0} of ${spec?.size} serve clients`);
  const recheckAfterMs = isDue ? ASK_AGAIN_MS : untilLostMs(cluster, nowMs);
  return { ...held, phase: "Joining", progress: { step }, ...(recheckAfterMs !== undefined && { recheckAfterMs }) };
}

function lost({ restore, cluster }: Observation): Action {
  const saved = restore.status?.safetySnapshot?.path;
  const from = saved ? `'${saved}' (status.safetySnapshot.path) or the backup` : "the backup";
  const { message: told } = quorumLost(cluster) ?? {};
  const what = `EtcdCluster '${cluster?.metadata.name}' lost its majority before all members had joined the restored one`;
  const remedy = `Delete this EtcdRestore and create another one from ${from}; with preferNewerSurvivor: true it uses the data of a member that still responds, if that is newer`;
  return {
    kind: "fail",
    reason: "QuorumLost",
    message: `${what}. ${remedy}.${told ? ` The cluster reports: ${told}` : ""}`,
  };
}

function clusterLost(seen: Observation): Action {
  const { restore, cluster } = seen;
  const { name } = restore.spec.etcdCluster;
  const known = failure(seen);
  if (known) return known;
  const what = cluster ? "is being deleted" : "was deleted during the restore";
  const message = `EtcdCluster '${name}' ${what}: create another EtcdRestore to restore into a new one`;
  return { kind: "fail", reason: "ClusterDeleted", message };
}

function rolledBack(seen: Observation): Action {
  const message = "The restore was cancelled, and the previous cluster is back";
  return failure(seen, ". Rolled back to the previous cluster") ?? { kind: "fail", reason: "Canceled", message };
}

/** The reason for which it was cancelled, now that nothing is left of it. */
function failure({ restore }: Observation, outlook = ""): Action | undefined {
  if (!isTrue(restore, "Canceled")) return undefined;
  const { reason, message = "" } = conditionOf(restore, "Canceled") ?? {};
  // Only `give-up` writes this condition.
  return { kind: "fail", reason: (reason ?? "Canceled") as GiveUpReason | "Canceled", message: `${message}${outlook}` };
}

function beforeServing(now: Situation): Action {
  const { seen, request, state } = now;
  const { restore, cluster } = seen;
  if (isTrue(restore, "Canceled")) return calledOff(now);
  if (!request) {
    const other = cluster && restoreRequestOf(cluster.metadata);
    if (other) {
      const message = `EtcdCluster '${cluster.metadata.name}' has a newer restore request of '${other.name}'`;
      return { kind: "fail", reason: "Superseded", message };
    }
    if (restore.status?.phase === "Joining") return forgotten(seen);
    // A cluster that has begun has set its members aside: there is no majority that could come back.
    const needless = state === undefined ? stillNeeded(now) : undefined;
    const message = "The request on the cluster was removed by another client: requesting the restore again";
    return needless ?? { kind: "request", reason: "Restoring", message, request: requestOf(seen) };
  }
  if (request.isCanceled) return hold(seen, "Cancelling the restore");
  if (cluster?.spec.paused) {
    return hold(
      seen,
      `EtcdCluster '${cluster.metadata.name}' is paused: the restore continues once spec.paused is false`,
    );
  }
  return guideSeed(now);
}

/** It has served, and its status is lost: another restore would delete writes since. */
function forgotten({ cluster }: Observation): Action {
  const what = `EtcdCluster '${cluster?.metadata.name}' had been restored, and its status was lost`;
  const message = `${what}: check whether all members are ready, and create another EtcdRestore if they are not`;
  return { kind: "fail", reason: "StatusLost", message };
}

function calledOff(now: Situation): Action {
  const { seen, request, state } = now;
  if (state !== undefined) {
    if (request?.isCanceled) return hold(seen, "Rolling back to the previous cluster");
    const canceled = { ...(request ?? requestOf(seen)), isCanceled: true };
    return { kind: "cancel", reason: "Canceling", message: "Rolling the cluster back", request: canceled };
  }
  // It has not been started: there is nothing to roll back.
  if (request) return withdrawRequest(now);
  return (
    failure(seen, ". Nothing was changed") ?? { kind: "none", reason: "Canceled", message: "The restore was cancelled" }
  );
}

function hold({ restore, cluster }: Observation, message: string): Extract<Action, { kind: "hold" }> {
  const obstacle = cluster?.status?.restore?.reason;
  const phase = restore.status?.phase ?? "Restoring";
  const all = obstacle ? `${message}; ${obstacle}` : message;
  return { kind: "hold", reason: "Restoring", message: all, phase, progress: { step: message } };
}
