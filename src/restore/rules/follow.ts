import { restoreRequestOf } from "../../api/restore-request.ts";
import type { Action } from "../action.ts";
import { conditionOf, isBegun, isTrue, ownRequest, stateOf } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import { confirm } from "./confirm.ts";
import { guideSeed } from "./guide-seed.ts";
import { requestOf } from "./request-of.ts";
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
  const { spec, status } = seen.cluster ?? {};
  const step = "The other members join the restored one";
  const held = hold(seen, `${step}: ${status?.readyMembers ?? 0} of ${spec?.size} serve clients`);
  return { ...held, phase: "Joining", progress: { step } };
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
    const message = "The request was taken off the cluster by somebody else: it is made again";
    return { kind: "request", reason: "Restoring", message, request: requestOf(restore) };
  }
  if (request.isCanceled) return hold(seen, "The restore is being called off");
  if (cluster?.spec.paused) {
    return hold(seen, `EtcdCluster '${cluster.metadata.name}' is paused: it goes on once spec.paused is false`);
  }
  return guideSeed(seen);
}

function calledOff(seen: Observation): Action {
  const request = ownRequest(seen);
  if (stateOf(seen) !== undefined) {
    if (request?.isCanceled) return hold(seen, "What was there before comes back");
    const canceled = { ...(request ?? requestOf(seen.restore)), isCanceled: true };
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
