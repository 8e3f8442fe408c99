import { sharedPlace } from "../membership/spread.rule.ts";
import { type ClusterState, notRunning } from "../model/cluster-state.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { isRefilling } from "../restore/recovering.status.ts";
import { activeRestore } from "../restore/restoring.rule.ts";
import { outdatedVoters } from "../rollout/outdated.rule.ts";

type Verdict = ClusterVerdict<"Scaling">;

/** Whether the cluster has another size than the user asks for. */
export function scaling(state: ClusterState): Verdict {
  const { phase, now } = state;
  const { seen, voters, spec } = now;
  if (phase !== "Running") return notRunning(phase);
  if (seen.problems.length > 0) return no("InvalidSpec", "The spec is invalid, so its size is not applied");
  if (voters.length === 0) return no("SizeUnknown", "The member list is unknown: no member responds");
  const message = `Current cluster size: ${voters.length}, desired cluster size: ${spec.size}`;
  if (voters.length === spec.size) return no("AsSpecified", message);
  if (voters.length === spec.size + 1 && outdatedVoters(now).length > 0) {
    return no("RollingOut", `${message}; an outdated member is removed when its successor serves`);
  }
  if (voters.length === spec.size + 1 && spec.rebalance === "Automatic" && sharedPlace(now, spec.size)) {
    return no("Rebalancing", `${message}; removing one of the members that share a node or a zone`);
  }
  if (activeRestore(now.status)) return no("Restoring", `${message}; adding members to the restored cluster`);
  if (isRefilling(state)) return no("MemberMissing", `${message}; lost members are being replaced`);
  const reason = voters.length < spec.size ? "ScalingUp" : "ScalingDown";
  return { isTrue: true, reason, message: spec.paused ? `${message}; spec.paused is set` : message };
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}
