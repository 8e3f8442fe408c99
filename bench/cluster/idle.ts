import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Cleanup } from "../cleanup.ts";
import { type Figure, figure, median } from "../figure.ts";
import type { StartedOperator } from "../operator/started-operator.ts";
import { threadSeconds } from "../operator/thread-time.ts";
import { repetitions } from "../repetitions.ts";
import { CountingProxy } from "../scale/counting-proxy.ts";
import type { Stage } from "./stage.ts";
import { CLUSTERS } from "./ten-clusters.ts";

/** What the least demanding of the other operators take with ten clusters. */
const OTHERS_CPU_SECONDS = 0.11;
const OTHERS_PER_SECOND = 0.52;
const OTHERS_MEMORY_MIB = 50;
const WINDOWS = repetitions(5, 2);
/** A cluster at rest is looked at once a minute. */
const WINDOW_MS = repetitions(30_000, 12_000);
/**
 * Until all is compiled that an idle operator does, and what starting it left is gone: V8 sees to that after some 15 s.
 */
const IDLE_SETTLE_MS = repetitions(45_000, 20_000);

export const IDLE_NAMES = {
  cpu: `cluster: processor time of the idle operator in a minute, ${CLUSTERS} clusters`,
  requests: `cluster: requests to the API server, idle, ${CLUSTERS} clusters`,
  memory: `cluster: memory of the idle operator, ${CLUSTERS} clusters`,
};

/** What the operator takes of the processors, and asks of the API server, while nothing happens to its clusters. */
export async function measureIdle(stage: Stage, cleanup: Cleanup): Promise<readonly Figure[]> {
  const proxy = await cleanup.use(startProxy(stage), (started) => started.close());
  await stage.stopOperator();
  const operator = await stage.startOperator({ kubeconfig: proxy.kubeconfig });
  await operator.watchingMs();
  await pause(IDLE_SETTLE_MS);
  proxy.take();
  const windows: Window[] = [];
  while (windows.length < WINDOWS) windows.push(await oneWindow(operator, proxy));
  return figuresOf(windows);
}

/** What was seen for a while. */
interface Window {
  readonly cpuSecondsPerMinute: number;
  /** By verb and resource. */
  readonly perSecond: Readonly<Record<string, number>>;
  readonly memoryMib: number;
}

async function oneWindow(operator: StartedOperator, proxy: CountingProxy): Promise<Window> {
  const [usedBefore, startedAt] = [await threadSeconds(operator.pid), performance.now()];
  await pause(WINDOW_MS);
  const seconds = (performance.now() - startedAt) / 1000;
  const used = (await threadSeconds(operator.pid)) - usedBefore;
  const asked = proxy.take().map(({ kind, times }) => [`${kind.verb} ${kind.resource}`, times / seconds] as const);
  const memoryMib = await operator.memoryMib();
  return { cpuSecondsPerMinute: (used * 60) / seconds, perSecond: Object.fromEntries(asked), memoryMib };
}

function figuresOf(windows: readonly Window[]): readonly Figure[] {
  const kinds = [...new Set(windows.flatMap(({ perSecond }) => Object.keys(perSecond)))];
  const total = ({ perSecond }: Window) => Object.values(perSecond).reduce((sum, each) => sum + each, 0);
  return [
    figure({
      ...{ name: IDLE_NAMES.cpu, unit: "s", limits: [OTHERS_CPU_SECONDS], goal: 1 },
      values: windows.map(({ cpuSecondsPerMinute }) => cpuSecondsPerMinute),
    }),
    figure({
      ...{ name: IDLE_NAMES.requests, unit: "/s", limits: [OTHERS_PER_SECOND], goal: 1 },
      values: windows.map(total),
      parts: Object.fromEntries(
        kinds.map((kind) => [kind, median(windows.map(({ perSecond }) => perSecond[kind] ?? 0))]),
      ),
    }),
    figure({
      ...{ name: IDLE_NAMES.memory, unit: "MiB", limits: [OTHERS_MEMORY_MIB], goal: 1 },
      values: windows.map(({ memoryMib }) => memoryMib),
    }),
  ];
}

async function startProxy({ local: { config, stateDir } }: Stage): Promise<CountingProxy> {
  const [ca, token] = await Promise.all(
    [config.pki.caFile, config.pki.tokenFile].map((file) => readFile(file, "utf8")),
  );
  const identity = { token: (token ?? "").trim() };
  return CountingProxy.start({ server: config.server, ca: ca ?? "", identity }, stateDir);
}
