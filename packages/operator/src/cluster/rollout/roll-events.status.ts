import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { listOf } from "../model/situation.ts";
import { type ClusterEvent, clusterEvent } from "../reasons.ts";
import { membersToRestart } from "../tls/tls-step.rule.ts";

/** The begin of a roll and its end. */
export function rollEvents(
  seen: Observation,
  next: EtcdClusterStatus,
): { readonly begin: ClusterEvent[]; readonly end: ClusterEvent[] } {
  const { cluster } = seen;
  const [before, after] = [outdatedIn(cluster.status), outdatedIn(next)];
  const [isBegun, isOver] = [before.length === 0 && after.length > 0, before.length > 0 && after.length === 0];
  return {
    begin: isBegun ? [started(cluster.spec.version, after, membersToRestart(seen))] : [],
    end: isOver ? [clusterEvent("RolloutDone", "All members run with the current spec")] : [],
  };
}

/** What is done to a member for a roll, or because its claim is deleted. */
export function rollStep(action: Action): ClusterEvent[] {
  switch (action.kind) {
    case "restart-member":
      return [clusterEvent("ChangingMember", `Member ${action.message}`)];
    case "declare-join":
      if (action.reason === "Rebalancing") return [clusterEvent("Rebalancing", action.message)];
      return ROLLING.has(action.reason) ? [clusterEvent("ReplacingMember", action.message)] : [];
    case "move-leader":
      return [clusterEvent("MovingLeader", action.message)];
    default:
      return [];
  }
}

/** The reasons to declare a member that mean that another one is removed. */
const ROLLING: ReadonlySet<string> = new Set(["RollingOut", "ReplacingMember"]);

function started(version: string, outdated: readonly string[], toRestart: readonly string[]): ClusterEvent {
  const isTls = outdated.every((name) => toRestart.includes(name));
  const why = isTls ? "the TLS Secrets have other CA certificates" : `they differ from the spec (version ${version})`;
  return clusterEvent("RolloutStarted", `Changing these members one at a time, because ${why}: ${listOf(outdated)}`);
}

function outdatedIn(status: EtcdClusterStatus | undefined): readonly string[] {
  return (status?.memberStatus ?? []).flatMap(({ name, outdated }) => (outdated ? [name] : []));
}
