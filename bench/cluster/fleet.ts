import { setTimeout as pause } from "node:timers/promises";
import { is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { Cleanup } from "../cleanup.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import type { MeasuredCluster } from "./contestant.ts";
import { measureIdle } from "./idle.ts";
import type { Stage } from "./stage.ts";
import { CLUSTERS, measureTenClusters } from "./ten-clusters.ts";

/** What its Deployment allows. */
const MEMORY_LIMIT_MIB = 256;
const SETTLE_MS = 2_000;
/** So many lose quorum at once, because each takes its time to be noticed. */
const UNLUCKY = 5;
const QUORUM_LOST_LIMIT_MS = 30_000;

/**
 * Ten clusters of three: how soon they are there, what they cost while nothing happens, and how soon those are told of
 * that lose quorum.
 */
export async function measureFleet(stage: Stage, cleanup: Cleanup): Promise<readonly Figure[]> {
  const made = await measureTenClusters(stage);
  const figures = [...made.figures, await measureMemory(stage), ...(await measureIdle(stage, cleanup))];
  // It takes a while to be sure, however often it is measured.
  if (repetitions(1, 0) === 0) return figures;
  const unlucky = made.clusters.slice(0, UNLUCKY).map(({ cluster }) => cluster);
  return [...figures, await measureQuorumLoss(stage, unlucky)];
}

/** Of an operator that has made and removed many. */
async function measureMemory({ operator }: Stage): Promise<Figure> {
  const values: number[] = [];
  while (values.length < repetitions(5, 2)) {
    await pause(SETTLE_MS);
    values.push(await operator.memoryMib());
  }
  const name = `cluster: memory of the operator with ${CLUSTERS} clusters`;
  return figure({ name, unit: "MiB", values, limits: [MEMORY_LIMIT_MIB], goal: 1 });
}

/** Two of three members fall silent, which Kubernetes has no event for: until the status says that quorum is lost. */
async function measureQuorumLoss(stage: Stage, clusters: readonly MeasuredCluster[]): Promise<Figure> {
  const told = await Promise.all(clusters.map((cluster) => untilLossIsTold(stage, cluster)));
  const name = `cluster: two members silent to QuorumLost, slowest of ${clusters.length}`;
  // The limit is a promise, and holds for each.
  return figure({ name, unit: "ms", values: [Math.max(...told)], limits: [QUORUM_LOST_LIMIT_MS], goal: 1 });
}

async function untilLossIsTold({ world: { client }, local }: Stage, cluster: MeasuredCluster): Promise<number> {
  const { followers } = await cluster.roles();
  const signal = (name: NodeJS.Signals) =>
    Promise.all(followers.map((pod) => signalEtcd({ local, client }, pod, name)));
  const started = performance.now();
  await signal("SIGSTOP");
  try {
    await cluster.becomes("without quorum", (seen) => is(seen, "QuorumLost") && is(seen, "Available", "False"));
    return performance.now() - started;
  } finally {
    await signal("SIGCONT");
  }
}
