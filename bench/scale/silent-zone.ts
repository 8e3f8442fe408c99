import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { type Figure, figure } from "../figure.ts";
import { addressOf, clusterName, NAMESPACE, SIZE } from "./fleet-names.ts";
import type { OperatorRun } from "./operator-run.ts";
import type { Stage } from "./stage.ts";

/** What is promised of a majority that is lost, whatever else is going on. */
const TOLD_MS = 30_000;
const PATIENCE_MS = 600_000;
/** Clusters that lose a second member while the zone is silent: one in so many. */
const EVERY = 50;

/**
 * A third of all members, one of each cluster, answers nothing: how soon an operator has checked all clusters, and
 * tells of a lost majority.
 */
export async function silentZone(stage: Stage, clusters: number): Promise<readonly Figure[]> {
  await stage.growTo(clusters);
  const all = Array.from({ length: clusters }, (_, index) => index);
  await stage.simulation.silence(all.map((index) => addressOf(index, SIZE - 1)));
  await stage.simulation.mark();
  const operator = await stage.startOperator();
  try {
    const checkedMs = await checked(stage, operator, clusters);
    const startCpuMs = (await operator.cpuSeconds()) * 1000;
    const lostMs = await majoritiesLost(
      stage,
      operator,
      all.filter((index) => index % EVERY === 0),
    );
    const lostCpuMs = (await operator.cpuSeconds()) * 1000 - startCpuMs;
    const named = (what: string) => `scale, a silent zone: ${clusters.toLocaleString("en-US")} clusters: ${what}`;
    // What a process with one thread needs of the processor, it needs of the time, however little else the machine
    // does.
    const waits: readonly (readonly [what: string, ms: number])[] = [
      ["start to all checked", checkedMs],
      ["start to all checked, processor time", startCpuMs],
      ["a lost majority is told", Math.max(...lostMs)],
      ["a lost majority is told, processor time", lostCpuMs],
    ];
    return waits.map(([what, ms]) =>
      figure({ name: named(what), unit: "ms", values: [ms], limits: [TOLD_MS], goal: 1 }),
    );
  } finally {
    await operator.stop();
  }
}

async function checked({ simulation }: Stage, operator: OperatorRun, clusters: number): Promise<number> {
  const hasSeenAll = async () => {
    const report = await simulation.report();
    return report.clusters === clusters && report;
  };
  const what = `${clusters} clusters to be checked`;
  const { lastClusterAtMs } = await until(hasSeenAll, { what, timeoutMs: PATIENCE_MS, unless: operator.diedEarly });
  return lastClusterAtMs - operator.startedAtMs;
}

async function majoritiesLost(
  { simulation, client }: Stage,
  operator: OperatorRun,
  indexes: readonly number[],
): Promise<readonly number[]> {
  await simulation.silence(indexes.map((index) => addressOf(index, SIZE - 2)));
  const lostAt = performance.now();
  return Promise.all(
    indexes.map(async (index) => {
      const name = clusterName(index);
      const isTold = async () => {
        const { status } = await client.get(ownResources.etcdClusters, { namespace: NAMESPACE, name });
        return status?.conditions?.some((each) => each.type === "QuorumLost" && each.status === "True");
      };
      const what = `${name} to tell that its majority is lost`;
      await until(isTold, { what, timeoutMs: PATIENCE_MS, everyMs: 250, unless: operator.diedEarly });
      return performance.now() - lostAt;
    }),
  );
}
