import type { Condition } from "../../api/condition.ts";
import { conditionAfter, conditionOf, type Verdict } from "../../kubernetes/condition-after.ts";
import { available } from "./available.ts";
import type { ClusterVersions } from "./cluster-versions.ts";
import { degraded } from "./degraded.ts";
import { quorumLost } from "./quorum-lost.ts";
import { progressing, ready, stalled } from "./ready.ts";
import { recovering } from "./recovering.ts";
import { scaling } from "./scaling.ts";
import { spread } from "./spread.ts";
import type { Stage } from "./stage.ts";
import type { Standing } from "./standing.ts";
import { upgrading } from "./upgrading.ts";

/** All conditions, always: one that is absent would say neither yes nor no. */
export function conditionsAfter(standing: Standing, versions: ClusterVersions, stage: Stage): Condition[] {
  const verdicts: readonly (readonly [type: string, verdict: Verdict])[] = [
    ["Ready", ready(stage)],
    ["Progressing", progressing(stage)],
    ["Stalled", stalled(stage)],
    ["Available", available(standing)],
    ["Recovering", recovering(standing)],
    ["Scaling", scaling(standing)],
    ["Upgrading", upgrading(standing, versions)],
    ["Degraded", degraded(standing)],
    ["QuorumLost", quorumLost(standing)],
    ["Spread", spread(standing)],
  ];
  const { nowMs, cluster } = standing.now.seen;
  const moment = { nowMs, generation: cluster.metadata.generation };
  return verdicts.map(([type, verdict]) =>
    conditionAfter(type, verdict, conditionOf(standing.old.conditions, type), moment),
  );
}
