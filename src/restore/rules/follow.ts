import { restoreRequestOf } from "../../api/restore-request.ts";
import { parseTime } from "../../kubernetes/kube-time.ts";
import type { Action } from "../action.ts";
import { conditionOf, isBegun, isTrue, ownRequest, stateOf } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import { confirm } from "./confirm.ts";
import { guideSeed } from "./guide-seed.ts";
import { requestOf } from "./request-of.ts";
import { stillNeeded } from "./still-needed.ts";
import { takeBack } from "./take-back.ts";

/** Once a cluster was asked: accompanies it until it is done, or back where it was. */
export function follow(seen: Observation): Action | undefined {
  const { restore, cluster } = seen;
  if (!isBegun(restore)) return undefined;
  const [request, state] = [ownRequest(seen), stateOf(seen)];
  const wasAsked = restore.status?.phase === "Restoring" || restore.status?.phase === "Joining";
  if (!request && !state && !wasAsked) return undefined;
  if (!cluster || cluster.metadata.deletionTimestamp) return clusterLost(seen);
  switch (state) {
    case "Done":
      return confirm(seen);
    case "RolledBack":
      return rolledBack(seen);
    case "RollingBack":
      return hold(seen, "What was there before comes back");
    case "Joining":
      return joining(seen);
    case "Fencing":
    case "Restoring":
    case undefined:
      return beforeServing(seen);
  }
}

function joining(seen: Observation): Action {
  const untilLost = untilLostMs(seen);
  if (untilLost !== undefined && untilLost <= 0) return lost(seen);
  const { spec, status } = seen.cluster ?? {};
  const step = "The other members join the restored one";
  const held = hold(seen, `${step}: ${status?.readyMembers ?? 0} of ${spec?.size} serve clients`);
  return {
    ...held,
    phase: "Joining",
    progress: { step },
    ...(untilLost !== undefined && { recheckAfterMs: untilLost }),
  };
}

/** So long a majority may be out of reach, as while a node starts anew. */
const UNREACHABLE_MS = 15 * 60_000;
/** What is proven gone is not waited for, but for a volume or a label that somebody gives back at once. */
const GONE_MS = 60_000;

/** How long until the restored cluster counts as lost, while there is no way back to what was there before; undefined when it is well. */
function untilLostMs({ cluster, nowMs }: Observation): number | undefined {
  const goneMs = parseTime(cluster?.status?.majorityLostSince);
  const condition = quorumLost(cluster);
  const ends = [
    ...(goneMs === undefined ? [] : [goneMs + GONE_MS]),
    ...(condition ? [(parseTime(condition.lastTransitionTime) ?? nowMs) + UNREACHABLE_MS] : []),
  ];
  return ends.length === 0 ? undefined : Math.min(...ends) - nowMs;
}

function lost({ restore, cluster }: Observation): Action {
  const saved = restore.status?.safetySnapshot?.path;
  const from = saved ? `'${saved}' (status.safetySnapshot.path) or the backup` : "the backup";
  const { message: told } = quorumLost(cluster) ?? {};
  const what = `EtcdCluster '${cluster?.metadata.name}' lost its majority before all members had joined the restored one`;
  const remedy = `Delete this EtcdRestore and make another one from ${from}; with preferNewerSurvivor: true it takes what a member has that still answers, if that is newer`;
  return {
    kind: "fail",
    reason: "QuorumLost",
    message: `${what}. ${remedy}.${told ? ` The cluster says: ${told}` : ""}`,
  };
}

function quorumLost(cluster: Observation["cluster"]) {
  return cluster?.status?.conditions?.find(({ type, status }) => type === "QuorumLost" && status === "True");
}

function clusterLost(seen: Observation): Action {
  const { restore, cluster } = seen;
  const { name } = restore.spec.etcdCluster;
  const known = failure(seen);
  if (known) return known;
  const what = cluster ? "is being deleted" : "was deleted meanwhile";
  const message = `EtcdCluster '${name}' ${what}: make another EtcdRestore to restore into a new one`;
  return { kind: "fail", reason: "ClusterDeleted", message };
}

function rolledBack(seen: Observation): Action {
  const message = "The restore was called off, and what was there before is back";
  return failure(seen, ". What was there before is back") ?? { kind: "fail", reason: "CalledOff", message };
}

/** What it was given up for, now that nothing is left of it. */
function failure({ restore }: Observation, outlook = ""): Action | undefined {
  if (!isTrue(restore, "CalledOff")) return undefined;
  const { reason = "CalledOff", message = "" } = conditionOf(restore, "CalledOff") ?? {};
  return { kind: "fail", reason, message: `${message}${outlook}` };
}

function beforeServing(seen: Observation): Action {
  const { restore, cluster } = seen;
  const request = ownRequest(seen);
  if (isTrue(restore, "CalledOff")) return calledOff(seen);
  if (!request) {
    const other = cluster && restoreRequestOf(cluster.metadata);
    if (other) {
      const message = `EtcdCluster '${cluster.metadata.name}' was asked by '${other.name}' for another restore instead`;
      return { kind: "fail", reason: "Superseded", message };
    }
    if (restore.status?.phase === "Joining") return forgotten(seen);
    // A cluster that has begun has set its members aside: there is no majority that could come back.
    const needless = stateOf(seen) === undefined ? stillNeeded(seen) : undefined;
    const message = "The request was taken off the cluster by somebody else: it is made again";
    return needless ?? { kind: "request", reason: "Restoring", message, request: requestOf(seen) };
  }
  if (request.isCanceled) return hold(seen, "The restore is being called off");
  if (cluster?.spec.paused) {
    return hold(seen, `EtcdCluster '${cluster.metadata.name}' is paused: it goes on once spec.paused is false`);
  }
  return guideSeed(seen);
}

/** It has served, and its status is gone: another restore would take away what was written since. */
function forgotten({ cluster }: Observation): Action {
  const what = `EtcdCluster '${cluster?.metadata.name}' had been restored, and does not tell any more how far it has got`;
  const message = `${what}: look whether all members serve, and make another EtcdRestore if they do not`;
  return { kind: "fail", reason: "StatusLost", message };
}

function calledOff(seen: Observation): Action {
  const request = ownRequest(seen);
  if (stateOf(seen) !== undefined) {
    if (request?.isCanceled) return hold(seen, "What was there before comes back");
    const canceled = { ...(request ?? requestOf(seen)), isCanceled: true };
    return { kind: "cancel", reason: "GivenUp", message: "The cluster is asked to go back", request: canceled };
  }
  // Nobody has begun: there is nothing to go back from.
  if (request) return takeBack(seen);
  return failure(seen, ". Nothing was touched") ?? { kind: "none", reason: "CalledOff", message: "It was called off" };
}

function hold({ restore, cluster }: Observation, message: string): Extract<Action, { kind: "hold" }> {
  const obstacle = cluster?.status?.restore?.reason;
  const phase = restore.status?.phase ?? "Restoring";
  const all = obstacle ? `${message}; ${obstacle}` : message;
  return { kind: "hold", reason: "Restoring", message: all, phase, progress: { step: message } };
}
