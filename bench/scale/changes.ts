import { setTimeout as pause } from "node:timers/promises";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { clusterName, clusterOf, NAMESPACE } from "./fleet-names.ts";
import { cpuPercentDuring, type Percentiles } from "./idle.ts";
import type { OperatorRun } from "./operator-run.ts";
import { bucketPercentile, bucketsBetween, percentile } from "./percentiles.ts";
import type { Stage } from "./stage.ts";

/** What was seen while some of the clusters changed for a while. */
export interface Changes {
  readonly cpuPercent: number;
  readonly queueMs: Percentiles;
  /** From the user's write until the operator's first write for it. */
  readonly actedOnMs: Percentiles;
}

const PATIENCE_MS = 30_000;
const QUIET_MS = 1_000;
const QUIET_PATIENCE_MS = 20_000;

/** Every second another hundredth of the clusters gets a label for its pods, one cluster after the other. */
export async function changes(stage: Stage, operator: OperatorRun, seconds: number): Promise<Changes> {
  const before = await operator.queueWaits();
  await pause(1_000);
  const acted = new ActedOn(stage);
  const cpuPercent = await cpuPercentDuring(operator, () => editAll(stage, acted, seconds));
  const latenciesMs = await acted.latenciesMs();
  await untilDone(stage);
  const waits = bucketsBetween(before, await operator.queueWaits());
  return {
    cpuPercent,
    queueMs: { p50: bucketPercentile(waits, 0.5) * 1000, p99: bucketPercentile(waits, 0.99) * 1000 },
    actedOnMs: { p50: percentile(latenciesMs, 0.5), p99: percentile(latenciesMs, 0.99) },
  };
}

async function editAll({ client, clusters }: Stage, acted: ActedOn, seconds: number): Promise<void> {
  const edits = Math.round((clusters / 100) * seconds);
  const startedAt = performance.now();
  const label = `at-${Date.now()}`;
  const sent: Promise<unknown>[] = [];
  for (let at = 0; at < edits; at += 1) {
    await pause(startedAt + (at * seconds * 1000) / edits - performance.now());
    const name = clusterName(Math.floor((at * clusters) / edits));
    acted.begin(name);
    const merge = { spec: { pod: { labels: { edited: label } } } };
    sent.push(client.patch(ownResources.etcdClusters, { namespace: NAMESPACE, name }, { merge }));
  }
  await Promise.all(sent);
}

/** Until nothing is left to be written for any of them: who starts next is to find all in place. */
async function untilDone({ proxy }: Stage): Promise<void> {
  const isQuiet = () => proxy.quietMs > QUIET_MS;
  await until(isQuiet, { what: "an end of the writes", timeoutMs: QUIET_PATIENCE_MS }).catch(() => undefined);
}

/** When the operator first writes something for a cluster that was edited. */
class ActedOn {
  readonly #stage: Stage;
  readonly #waiting = new Map<string, number>();
  readonly #latenciesMs: number[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.proxy.onWrite = ({ path, atMs }) => this.#end(clusterOf(path) ?? "", atMs);
  }

  begin(cluster: string): void {
    this.#waiting.set(cluster, performance.now());
  }

  /** Waits for the last of them; one that is not acted on counts with the time that was waited for it. */
  async latenciesMs(): Promise<readonly number[]> {
    const isOver = () => this.#waiting.size === 0;
    await until(isOver, { what: "changes to be acted on", timeoutMs: PATIENCE_MS }).catch(() => undefined);
    for (const cluster of [...this.#waiting.keys()]) this.#end(cluster, performance.now());
    this.#stage.proxy.onWrite = () => undefined;
    return this.#latenciesMs;
  }

  #end(cluster: string, atMs: number): void {
    const startedAt = this.#waiting.get(cluster);
    if (startedAt === undefined) return;
    this.#waiting.delete(cluster);
    this.#latenciesMs.push(atMs - startedAt);
  }
}
