import { setTimeout as pause } from "node:timers/promises";
import { pathOf } from "@etcd-operator/etcd-client/message-stream.ts";
import { Cluster } from "@etcd-operator/etcd-client/protocol/generated/cluster_pb.ts";
import { KV } from "@etcd-operator/etcd-client/protocol/generated/kv_pb.ts";
import { Maintenance } from "@etcd-operator/etcd-client/protocol/generated/maintenance_pb.ts";
import type { OperatorRun } from "./operator-run.ts";
import { bucketPercentile, bucketsBetween } from "./percentiles.ts";
import { isExpectedOfTheIdle } from "./request-kind.ts";
import type { Stage } from "./stage.ts";

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface Idle {
  /** Share of a core, in percent, in each window. */
  readonly cpuPercent: readonly number[];
  /** Resident memory after each window. */
  readonly memoryMib: readonly number[];
  readonly queueMs: Percentiles;
  /** Requests to the API server in a second, by verb and resource. */
  readonly apiPerSecond: Readonly<Record<string, number>>;
  /** Those that an idle operator should not need, in all of the time. */
  readonly needless: number;
  /** Calls to members in a second, by name. */
  readonly etcdPerSecond: Readonly<Record<string, number>>;
}

export interface Windows {
  readonly seconds: number;
  readonly windows: number;
}

/** Watches an operator that has nothing to do. */
export async function idle(stage: Stage, operator: OperatorRun, { seconds, windows }: Windows): Promise<Idle> {
  const { simulation, proxy } = stage;
  const before = await operator.queueWaits();
  // What the page cost is not to be counted.
  await pause(1_000);
  await simulation.mark();
  proxy.take();
  const [cpuPercent, memoryMib]: [number[], number[]] = [[], []];
  const startedAt = performance.now();
  while (cpuPercent.length < windows) {
    cpuPercent.push(await cpuPercentDuring(operator, () => pause((seconds * 1000) / windows)));
    memoryMib.push(await operator.residentMib());
  }
  const [asked, { calls }] = [proxy.take(), await simulation.report()];
  const passedSeconds = (performance.now() - startedAt) / 1000;
  const waits = bucketsBetween(before, await operator.queueWaits());
  const needless = asked.filter(({ kind }) => !isExpectedOfTheIdle(kind));
  return {
    cpuPercent,
    memoryMib,
    queueMs: { p50: bucketPercentile(waits, 0.5) * 1000, p99: bucketPercentile(waits, 0.99) * 1000 },
    apiPerSecond: Object.fromEntries(
      asked.map(({ kind, times }) => [`${kind.verb} ${kind.resource}`, times / passedSeconds]),
    ),
    needless: needless.reduce((sum, { times }) => sum + times, 0),
    etcdPerSecond: Object.fromEntries(
      Object.entries(calls).map(([path, times]) => [nameOf(path), times / passedSeconds]),
    ),
  };
}

/** What a process takes of a core while something goes on, in percent. */
export async function cpuPercentDuring(operator: OperatorRun, work: () => Promise<unknown>): Promise<number> {
  const [usedBefore, startedAt] = [await operator.cpuSeconds(), performance.now()];
  await work();
  const used = (await operator.cpuSeconds()) - usedBefore;
  return (used * 100_000) / (performance.now() - startedAt);
}

/** Members are simulated as far as these go; a request for more is refused, and something else would be measured. */
const KNOWN = [Maintenance.method.status, Maintenance.method.alarm, KV.method.range, Cluster.method.memberList];

function nameOf(path: string): string {
  const method = KNOWN.find((each) => pathOf(each) === path);
  if (!method) throw new Error(`the operator asks members for ${path}, which is not simulated`);
  return method.name;
}
