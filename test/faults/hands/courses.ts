import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";

const ON_CLAIMS = { bootstrap: { mode: "Parallel" }, pod: { persistentVolumeClaimSpec: A_CLAIM } };

/** What is under way while hands reach into it. On volumes, so that a lost pod is no lost member. */
export const courses: readonly Workload[] = [
  {
    name: "create",
    prepare: async () => undefined,
    act: (stage) => stage.createCluster(ON_CLAIMS),
    missing: (stage) => stage.unsettled(),
  },
  {
    name: "scale-up",
    prepare: (stage) => withCluster(stage, { size: 1 }),
    act: (stage) => stage.changeCluster({ size: 3 }),
    missing: (stage) => stage.unsettled(),
  },
  {
    name: "scale-down",
    prepare: (stage) => withCluster(stage, { size: 5 }),
    act: (stage) => stage.changeCluster({ size: 3 }),
    missing: (stage) => stage.unsettled(),
  },
  {
    name: "roll",
    prepare: (stage) => withCluster(stage, { size: 3 }),
    act: (stage) => stage.changeCluster({ version: "3.5.21" }),
    missing: (stage) => [...stage.unsettled(), ...notRolled(stage)],
  },
];

async function withCluster(stage: Stage, spec: object): Promise<void> {
  await stage.createCluster({ ...ON_CLAIMS, ...spec });
  await stage.settled();
}

function notRolled({ memberPods }: Stage): readonly string[] {
  const old = memberPods.filter(({ spec }) => !spec?.containers[0]?.image?.includes("3.5.21"));
  return old.map(({ metadata }) => `${metadata.name} runs another image`);
}
