import { restAmong } from "@etcd-operator/operator/cluster/model/at-rest.ts";
import { type Figure, figure, median } from "../figure.ts";
import { SIZE } from "./fleet-names.ts";
import type { Percentiles } from "./idle.ts";
import type { Measured } from "./measured.ts";

/**
 * What is promised with a thousand clusters; with more of them it may be more in proportion, except where a user waits.
 */
export const PROMISED_FOR = 1_000;
const MEMORY_MIB = 200;
/** What the Deployment allows. */
const MOST_MEMORY_MIB = 256;
const IDLE_CPU_PERCENT = 2;
const RECONCILED_MS = 15_000;
const ACTED_ON_MS = 100;
/** What the least demanding of the other operators asks of the API server in a second, with ten clusters. */
const OTHERS_PER_SECOND = 0.52;
/** A look asks each member twice, and one of them for the list. */
const CALLS_PER_LOOK = 2 * SIZE + 1;
/** When exactly each cluster is looked at is chance: a minute has some looks more than its share, or fewer. */
const BY_CHANCE = 1.3;

/** Of which clusters a figure tells. */
export interface Fleet {
  readonly about: string;
  /** For those with certificates the API server is asked once in a minute, each. */
  readonly isTls?: boolean;
}

const PLAIN: Fleet = { about: "scale" };

/** What was measured with so many clusters, beside what is promised. */
export function figuresOf(found: Measured, { about, isTls = false }: Fleet = PLAIN): readonly Figure[] {
  const { clusters, idle, changing } = found;
  const named = (what: string) => `${about}: ${clusters.toLocaleString("en-US")} clusters: ${what}`;
  const grown = (limit: number) => limit * Math.max(1, clusters / PROMISED_FOR);
  const one = (what: string, unit: string, value: number, limit: number, rest: Partial<Figure> = {}) =>
    figure({ name: named(what), unit, values: [value], limits: [limit], goal: 1, ...rest });
  const several = (what: string, unit: string, values: readonly number[], limit: number) =>
    figure({ name: named(what), unit, values, limits: [limit], goal: 1 });
  const both = (what: string, found: readonly Percentiles[]) => [
    several(
      `${what}, p50`,
      "ms",
      found.map(({ p50 }) => p50),
      ACTED_ON_MS,
    ),
    several(
      `${what}, p99`,
      "ms",
      found.map(({ p99 }) => p99),
      ACTED_ON_MS,
    ),
  ];
  const calls = (clusters * CALLS_PER_LOOK * 1000) / restAmong(clusters);
  const requests = OTHERS_PER_SECOND + (isTls ? clusters / 60 : 0);
  return [
    several("memory, idle", "MiB", idle.memoryMib, grown(MEMORY_MIB)),
    one("most memory", "MiB", found.mostMemoryMib, grown(MOST_MEMORY_MIB)),
    several("processor, idle", "%", idle.cpuPercent, grown(IDLE_CPU_PERCENT)),
    several(
      "processor, 1 % of them change each second",
      "%",
      changing.map(({ cpuPercent }) => cpuPercent),
      100,
    ),
    several("start to all reconciled", "ms", found.reconciledMs, grown(RECONCILED_MS)),
    several("start to all reconciled, processor time", "ms", found.startCpuMs, grown(RECONCILED_MS)),
    one("requests to the API server beyond watches, Leases, Secrets, idle", "", idle.needless, 1, { goal: 0 }),
    one("requests to the API server, idle", "/s", sum(idle.apiPerSecond), requests, {
      parts: idle.apiPerSecond,
    }),
    one("calls to etcd, idle", "/s", sum(idle.etcdPerSecond), calls, { goal: BY_CHANCE, parts: idle.etcdPerSecond }),
    ...both("wait in the queue, idle", [idle.queueMs]),
    ...both(
      "wait in the queue, 1 % change",
      changing.map(({ queueMs }) => queueMs),
    ),
    ...both(
      "a change is acted on",
      changing.map(({ actedOnMs }) => actedOnMs),
    ),
  ];
}

/** What a cluster costs among more of them, beside what it costs among fewer: linear or better. */
export function growthOf(fewer: Measured, more: Measured): readonly Figure[] {
  const [from, to] = [fewer, more].map(({ clusters }) => clusters.toLocaleString("en-US"));
  const compared = (what: string, unit: string, total: (found: Measured) => number) =>
    figure({
      name: `scale: growth from ${from} to ${to}: ${what} per cluster`,
      unit,
      values: [total(more) / more.clusters],
      limits: [total(fewer) / fewer.clusters],
      goal: 1,
    });
  return [
    compared("memory, idle,", "KiB", ({ idle }) => median(idle.memoryMib) * 1024),
    compared("processor, idle,", "ms/s", ({ idle }) => median(idle.cpuPercent) * 10),
    compared("start to all reconciled,", "ms", ({ reconciledMs }) => median(reconciledMs)),
  ];
}

function sum(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((total, part) => total + part, 0);
}
