import { conditionOf } from "@etcd-operator/kubernetes-client";
import { quotaBeyondVolume } from "../api/cluster/quota-fits.ts";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import { type Action, type ActionOutcome, membersRemoved, type RemoveMember } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { type ClusterEvent, clusterEvent } from "./reasons.ts";
import { rollEvents, rollStep } from "./rollout/roll-events.status.ts";
import { tlsEvents } from "./tls/tls-events.status.ts";

type Restore = EtcdClusterStatus["restore"];

/**
 * The Events of a reconcile of a cluster; its steps have the reasons that scripts for coreos/etcd-operator look for.
 */
export function eventsOf(
  seen: Observation,
  action: Action,
  outcome: ActionOutcome,
  next: EtcdClusterStatus,
): ClusterEvent[] {
  const { cluster } = seen;
  const steps = outcome.kind === "done" ? stepsOf(action, outcome) : [];
  const roll = rollEvents(seen, next);
  return [
    ...roll.begin,
    ...steps,
    ...upgrades(cluster.status, next),
    ...roll.end,
    ...tlsEvents(cluster.status, next),
    ...claimsDeleted(cluster.status, next),
    ...nearLimits(cluster.status, next),
    ...quotas(seen, next),
    ...restoreEvents(cluster.status?.restore, next.restore, action),
    ...turns.flatMap((turn) => turnOf(turn, cluster.status, next)),
  ];
}

function stepsOf(action: Action, outcome: ActionOutcome): ClusterEvent[] {
  switch (action.kind) {
    case "start-members":
      // A joining member was reported when it was added, and a returning one is not new.
      return action.members.flatMap(({ name, start }) => (FOUNDING.has(start.kind) ? [added(name)] : []));
    case "add-member":
      return [added(action.name)];
    case "remove-member":
      return [
        ...(action.because === "dead" ? [replacing(action)] : []),
        ...membersRemoved(action, outcome).map(({ name }) => removed(name, action)),
      ];
    case "reattach":
    case "adopt-orphans":
      return [clusterEvent("ClusterReattached", action.message)];
    case "create-restore":
      return [clusterEvent("RecoveryStarted", action.message)];
    case "stop-duplicate":
      return [clusterEvent("StoppingDuplicate", action.message)];
    case "note-saved":
      return action.allSaved ? [] : [clusterEvent("NotAllSaved", action.message)];
    case "discard-set-aside":
      return action.noRoomFor === undefined ? [] : [clusterEvent("MakingRoom", action.message)];
    default:
      return rollStep(action);
  }
}

const FOUNDING: ReadonlySet<string> = new Set(["seed", "restored"]);

/** Each turn of a restore, once. */
function restoreEvents(before: Restore, after: Restore, { message }: Action): ClusterEvent[] {
  if (!after || (before?.uid === after.uid && before.state === after.state)) return [];
  const name = `EtcdRestore ${after.name}`;
  switch (after.state) {
    case "Fencing":
      return [clusterEvent("RestoreStarted", message)];
    case "Restoring":
      return [clusterEvent("PreviousMembersStopped", `${name}: all previous members have stopped; ${message}`)];
    case "Done":
      return [clusterEvent("RestoreDone", message)];
    case "RolledBack":
      return [clusterEvent("RestoreRolledBack", `${name}: ${message}`)];
    default:
      return [];
  }
}

/** Reported when a member has started with another version, not when that was requested. */
function upgrades(previous: EtcdClusterStatus | undefined, next: EtcdClusterStatus): ClusterEvent[] {
  return (next.memberStatus ?? []).flatMap(({ name, version }) => {
    const before = previous?.memberStatus?.find((member) => member.name === name)?.version;
    if (before === undefined || version === undefined || before === version) return [];
    const message = `Member ${name} upgraded from ${before} to ${version}`;
    return [clusterEvent("Member Upgraded", message)];
  });
}

/** Once for each, whatever else is wrong. */
function claimsDeleted(previous: EtcdClusterStatus | undefined, next: EtcdClusterStatus): ClusterEvent[] {
  return (next.memberStatus ?? []).flatMap(({ name, claimDeleted }) => {
    const isKnown = previous?.memberStatus?.some((member) => member.name === name && member.claimDeleted);
    if (!claimDeleted || isKnown) return [];
    const message = `PersistentVolumeClaim '${name}' is being deleted while member ${name} uses it, and its data is lost with its pod: replacing the member. Do not delete Pod '${name}'`;
    return [clusterEvent("ClaimDeleted", message)];
  });
}

/** Once, until it has been well below. */
function nearLimits(previous: EtcdClusterStatus | undefined, next: EtcdClusterStatus): ClusterEvent[] {
  return (next.memberStatus ?? []).flatMap(({ name, nearLimit }) => {
    const isKnown = previous?.memberStatus?.some((member) => member.name === name && member.nearLimit);
    if (!nearLimit || isKnown) return [];
    const message = `Compact and defragment, or raise the limit (docs/operations/nospace.md): the database of member ${name} uses 80 % of its quota or volume`;
    return [clusterEvent("DatabaseNearLimit", message)];
  });
}

/** Of each spec once: nothing is wrong yet, and may never be. */
function quotas({ cluster }: Observation, next: EtcdClusterStatus): ClusterEvent[] {
  if (cluster.status?.observedGeneration === next.observedGeneration) return [];
  const message = quotaBeyondVolume(cluster.spec);
  return message === undefined ? [] : [clusterEvent("QuotaBeyondVolume", upperFirst(message))];
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function added(name: string): ClusterEvent {
  return clusterEvent("New Member Added", `New member ${name} added to cluster`);
}

/** Why a dead one is removed was reported just before. */
function removed(name: string, { because, why }: RemoveMember): ClusterEvent {
  const message = [`Existing member ${name} removed from the cluster`, ...(because === "dead" ? [] : sentence(why))];
  return clusterEvent("Member Removed", message.join(": "));
}

function replacing({ member, why }: RemoveMember): ClusterEvent {
  const message = [`The dead member ${member.name} is being replaced`, ...sentence(why)];
  return clusterEvent("Replacing Dead Member", message.join(": "));
}

function sentence(why: string | undefined): string[] {
  return why === undefined ? [] : [why];
}

/** A condition whose changes are worth an Event. */
interface Turn {
  readonly condition: string;
  readonly isGood: "True" | "False";
  readonly becameGood: ClusterEvent["reason"];
  readonly becameBad: ClusterEvent["reason"];
}

const turns: readonly Turn[] = [
  { condition: "Available", isGood: "True", becameGood: "Available", becameBad: "NotAvailable" },
  { condition: "QuorumLost", isGood: "False", becameGood: "QuorumRegained", becameBad: "QuorumLost" },
  { condition: "Degraded", isGood: "False", becameGood: "NotDegraded", becameBad: "Degraded" },
];

/** A condition that was never written counts as "False": so a new cluster does not begin with a warning. */
function turnOf(turn: Turn, previous: EtcdClusterStatus | undefined, next: EtcdClusterStatus): ClusterEvent[] {
  const before = conditionOf(previous?.conditions, turn.condition)?.status ?? "False";
  const now = conditionOf(next.conditions, turn.condition);
  if (!now || now.status === before) return [];
  const isGood = now.status === turn.isGood;
  return [clusterEvent(isGood ? turn.becameGood : turn.becameBad, now.message ?? "")];
}
