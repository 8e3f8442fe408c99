import { conditionAfter, conditionOf, type Verdict } from "@etcd-operator/kubernetes-client";
import type { Condition } from "../../api/condition.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import type { ClusterVerdict } from "../reasons.ts";
import { recovering } from "../restore/recovering.status.ts";
import { upgrading } from "../rollout/upgrading.status.ts";
import { available } from "./available.status.ts";
import type { ClusterVersions } from "./cluster-versions.status.ts";
import { degraded } from "./degraded.status.ts";
import { quorumLost } from "./quorum-lost.status.ts";
import { scaling } from "./scaling.status.ts";
import { spread } from "./spread.status.ts";
import type { Stage } from "./stage.status.ts";

/** All conditions, always: one that is absent would say neither yes nor no. */
export function conditionsAfter(state: ClusterState, versions: ClusterVersions, stage: Stage): Condition[] {
  const verdicts: readonly (readonly [type: string, verdict: Verdict])[] = [
    ["Ready", ready(stage)],
    ["Progressing", progressing(stage)],
    ["Stalled", stalled(stage)],
    ["Available", available(state)],
    ["Recovering", recovering(state)],
    ["Scaling", scaling(state)],
    ["Upgrading", upgrading(state, versions)],
    ["Degraded", degraded(state)],
    ["QuorumLost", quorumLost(state)],
    ["Spread", spread(state)],
  ];
  const { nowMs, cluster } = state.now.seen;
  const moment = { nowMs, generation: cluster.metadata.generation };
  return verdicts.map(([type, verdict]) =>
    conditionAfter(type, verdict, conditionOf(state.old.conditions, type), moment),
  );
}

/**
 * Whether everything that the spec asks for is there and serves: what `kubectl wait`, Flux and `helm --wait` wait for.
 */
function ready({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "unseen" ? undefined : course === "there", reason, message };
}

/** Whether the operator is on its way to what the spec says, and by which step. */
function progressing({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "underway", reason, message };
}

/**
 * Whether it stays as it is until a person changes something; tools that know kstatus take it for a failure, and wait
 * no longer.
 */
function stalled({ course, reason, message }: Stage): ClusterVerdict<"Ready"> {
  return { isTrue: course === "stalled", reason, message };
}
