import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { afterStartFailure } from "../bootstrap/start-failures.status.ts";
import { type Action, type ActionOutcome, type MemberId, membersRemoved } from "../model/action.ts";
import type { MemberIntent } from "../model/members.ts";
import type { MembershipSeen, Observation } from "../model/observation.ts";
import { afterRestoreStep } from "../restore/restore-step.status.ts";
import { type RestoreStatus, undecidedRestore } from "../restore/restoring.rule.ts";

/** The picture as an action left it, as far as that is certain without looking again. */
export function afterAction(seen: Observation, action: Action, outcome: ActionOutcome): Observation {
  if (outcome.kind === "postponed") return seen;
  if (action.kind === "begin-restore" || action.kind === "turn-restore") return afterRestoreStep(seen, action);
  const removed = membersRemoved(action, outcome);
  const status = { ...seen.cluster.status, ...notesOf(action, removed, seen) };
  return { ...seen, membership: membershipAfter(seen.membership, removed), cluster: { ...seen.cluster, status } };
}

/** What an action writes down, for itself or for the next pass. */
function notesOf(action: Action, removed: readonly MemberId[], seen: Observation): EtcdClusterStatus {
  const { status = {} } = seen.cluster;
  const intents = status.memberIntents ?? [];
  const incarnation = status.incarnation ?? 1;
  switch (action.kind) {
    case "declare-seeds":
      return {
        incarnation: action.incarnation,
        memberIntents: action.names.map((name) => intentOf(name, "Seed", action.incarnation)),
        ...restoreIn(status, "Restoring"),
      };
    case "declare-join":
      return { memberIntents: [...without(intents, [action.name]), intentOf(action.name, "Join", incarnation)] };
    case "forget-intents":
      return { memberIntents: without(intents, action.names), ...failedStart(seen, action.failed) };
    case "record-cluster":
      return {
        clusterID: action.clusterId,
        incarnation: action.incarnation,
        startFailures: undefined,
        ...restoreIn(status, "Joining"),
      };
    case "promote-member":
      return { startFailures: undefined };
    case "reattach":
    case "adopt-orphans": {
      const { clusterId, from } = action;
      return { clusterID: clusterId, incarnation: action.incarnation, ...(from !== "" && { reattachedFrom: from }) };
    }
    case "remove-member": {
      // Their names are used up: whoever comes in their place has another one.
      const next = action.successor === undefined ? [] : [intentOf(action.successor, "Join", incarnation)];
      const names = removed.map(({ name }) => name);
      return { memberIntents: [...without(intents, names), ...next], ...failedStart(seen, action.failed) };
    }
    case "create-restore":
      return { recoveryIncarnation: status.incarnation ?? 0 };
    case "note-saved":
      return status.restore ? { restore: { ...status.restore, allSaved: action.allSaved } } : {};
    case "discard-set-aside": {
      const { restore } = status;
      const isForRoom = action.noRoomFor !== undefined;
      return isForRoom && restore ? { restore: { ...restore, roomMadeAt: rfc3339(seen.nowMs) } } : {};
    }
    default:
      return {};
  }
}

function failedStart(seen: Observation, why: string | undefined): Pick<EtcdClusterStatus, "startFailures"> {
  return why === undefined ? {} : { startFailures: afterStartFailure(seen, why) };
}

/** The restore that the cluster comes to be by, if it is one, in its next state. */
function restoreIn(status: EtcdClusterStatus, state: RestoreStatus["state"]): Pick<EtcdClusterStatus, "restore"> {
  const restore = undecidedRestore(status);
  return restore ? { restore: { ...restore, state } } : {};
}

function intentOf(name: string, purpose: MemberIntent["purpose"], incarnation: number): MemberIntent {
  return { name, incarnation, purpose };
}

function without(intents: readonly MemberIntent[], names: readonly string[]): MemberIntent[] {
  return intents.filter(({ name }) => !names.includes(name));
}

/** etcd has agreed to the removals, so the list that was read before them is out of date. */
function membershipAfter(membership: MembershipSeen, removed: readonly MemberId[]): MembershipSeen {
  if (removed.length === 0 || membership.kind === "unknown") return membership;
  const ids = new Set(removed.map(({ id }) => id));
  return { ...membership, members: membership.members.filter(({ id }) => !ids.has(id)) };
}
