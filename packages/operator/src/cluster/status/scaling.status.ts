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
  if (seen.problems.length > 0) return no("InvalidSpec", "The spec is not valid, so its size is not followed");
  if (voters.length === 0) return no("SizeUnknown", "Nobody can be asked who is a member");
  const message = `Current cluster size: ${voters.length}, desired cluster size: ${spec.size}`;
  if (voters.length === spec.size) return no("AsSpecified", message);
  if (voters.length === spec.size + 1 && outdatedVoters(now).length > 0) {
    return no("RollingOut", `${message}; an outdated member goes when its successor serves`);
  }
  if (voters.length === spec.size + 1 && spec.rebalance === "Automatic" && sharedPlace(now, spec.size)) {
    return no("Rebalancing", `${message}; one of those that share a node or a zone goes`);
  }
  if (activeRestore(now.status)) return no("Restoring", `${message}; the restored cluster gets its members`);
  if (isRefilling(state)) return no("MemberMissing", `${message}; lost members are being replaced`);
  const reason = voters.length < spec.size ? "ScalingUp" : "ScalingDown";
  return { isTrue: true, reason, message: spec.paused ? `${message}; spec.paused holds it` : message };
}

function no(reason: Verdict["reason"], message: string): Verdict {
  return { isTrue: false, reason, message };
}
