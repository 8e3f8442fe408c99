import { isBeingSpread, whyNotMoved } from "../membership/rebalance.rule.ts";
import { type Crowd, crowdOf, zonesInUse } from "../membership/spread.rule.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import { listOf } from "../model/situation.ts";
import type { ClusterVerdict } from "../reasons.ts";

type SpreadVerdict = ClusterVerdict<"Spread">;

/** Whether members lie so that a cluster outlives the loss of a node, or of a zone where that is possible. */
export function spread({ now, phase }: Pick<ClusterState, "now" | "phase">): SpreadVerdict {
  const { voters } = now;
  if (phase !== "Running" || voters.length === 0) {
    return { isTrue: undefined, reason: "NotRunning", message: "The cluster is being created, or has failed" };
  }
  if (voters.length === 1)
    return { isTrue: true, reason: "SingleMember", message: "There is one member, which cannot be spread" };
  const crowd = crowdOf(now);
  if (crowd) {
    const reason = crowd.kind === "node" ? "MajorityOnOneNode" : "MajorityInOneZone";
    return { isTrue: false, reason, message: `${lossOf(crowd, voters.length)}; ${courseOf(now)}` };
  }
  const unplaced = voters.filter(({ pod }) => pod?.nodeName === undefined);
  if (unplaced.length > 0) {
    const message = `The node is unknown of: ${listOf(unplaced.map(({ name }) => name))}`;
    return { isTrue: undefined, reason: "NodeUnknown", message };
  }
  const nodes = new Set(voters.map(({ pod }) => pod?.nodeName)).size;
  const zones = zonesInUse(now);
  const inZones = zones === undefined ? "" : ` in ${zones} ${zones === 1 ? "zone" : "zones"}`;
  return { isTrue: true, reason: "NodesDiffer", message: `${voters.length} members run on ${nodes} nodes${inZones}` };
}

function lossOf({ kind, name, members }: Crowd, voters: number): string {
  const names = listOf(members.map((member) => member.name));
  const where = kind === "node" ? "on it" : "in it";
  return `The loss of ${kind} ${name} would lose quorum: ${members.length} of ${voters} members run ${where} (${names})`;
}

function courseOf(now: ClusterState["now"]): string {
  return isBeingSpread(now) ? "replacing one of them" : (whyNotMoved(now) ?? "removing one of them");
}
