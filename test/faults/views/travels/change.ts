import { resources } from "@etcd-operator/kubernetes-client";
import type { Stage } from "../../workloads/stage.ts";
import { NAMESPACE } from "../../world/world.ts";

/** A deletion, or a change of size. */
export interface Change {
  readonly name: string;
  /** Only where members have volumes. */
  readonly needsClaims?: true;
  make(stage: Stage, spec: object): Promise<void>;
}

const GONE_LIMIT_MS = 10 * 60_000;

/** The oldest member's. */
export const POD_LOST: Change = { name: "pod-lost", make: (stage) => stage.losePod(0) };
export const UP: Change = { name: "up", make: (stage) => stage.changeCluster({ size: sizeOf(stage) + 1 }) };
export const DOWN: Change = { name: "down", make: (stage) => stage.changeCluster({ size: sizeOf(stage) - 1 }) };
export const RECREATED: Change = {
  name: "recreated",
  make: async (stage, spec) => {
    await stage.deleteCluster();
    const isLeft = () => stage.cluster !== undefined || stage.memberPods.length > 0;
    await stage.time.until(() => !isLeft(), GONE_LIMIT_MS);
    await stage.createCluster(spec);
  },
};

/** Everything that takes members, volumes or whole clusters away, and what brings members. */
export const CHANGES: readonly Change[] = [
  ...[POD_LOST, UP, DOWN, RECREATED],
  {
    name: "claim-lost",
    needsClaims: true,
    make: async (stage) => {
      const [oldest] = stage.memberPods;
      const name = oldest?.metadata.name ?? "";
      // It goes when the pod has gone that uses it.
      await stage.user.delete(resources.persistentVolumeClaims, { namespace: NAMESPACE, name });
      await stage.losePod(0);
    },
  },
];

function sizeOf({ cluster }: Stage): number {
  return cluster?.spec.size ?? 0;
}
