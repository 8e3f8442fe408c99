import type { ChangeAsked } from "../model/etcd/facts.ts";
import type { Stage } from "../workloads/stage.ts";
import type { ModelMachine } from "../world/model-machine.ts";
import type { World } from "../world/world.ts";

/** What must never happen, whatever went wrong, and did. */
export function violations(world: World<ModelMachine>, { machine }: Stage): readonly string[] {
  const { facts } = machine.etcd;
  return [
    ...facts.violations,
    ...facts.overlappingChanges.map(({ kind, via }) => `${kind} by way of ${via} while another change was under way`),
    ...facts.addsBesideUnstarted
      .filter(isBesideAnother)
      .map(({ peerUrls, unstarted }) => `${peerUrls} was added while ${unstarted} had not started`),
    ...facts.clusters.flatMap(({ clusterId }) =>
      machine.etcd
        .lostWrites(clusterId)
        .map(({ revision }) => `the acknowledged write of revision ${revision} is lost`),
    ),
    ...world.ends.filter((why) => why !== undefined).map((why) => `an operator ended of itself: ${why}`),
  ];
}

/** The same request that arrives twice is no second addition. */
function isBesideAnother({ peerUrls, unstarted }: ChangeAsked): boolean {
  return unstarted.some((url) => !peerUrls.includes(url));
}
