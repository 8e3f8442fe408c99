import type { KubeClient } from "../../src/kubernetes/rest-client.ts";
import { kubernetesBinaries } from "../../test/support/kube/binaries.ts";
import type { Cleanup } from "../cleanup.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { type Contestant, localServer, realServer, startContestant } from "./contestant.ts";
import { Duel } from "./duel.ts";
import { createPods, deletePods, getPods, listPods, listPodsInPages } from "./pods.ts";
import { measureWatchLatency } from "./watch-latency.ts";

interface Step {
  /** What does not have one is not measured. */
  readonly name?: string;
  readonly act: (client: KubeClient) => Promise<void>;
  readonly times?: number;
}

// Every round goes through all of them; each finds what the one before left.
const steps: readonly Step[] = [
  { name: "API server: create 1,000 pods, one by one", act: (client) => createPods(client, 1) },
  { name: "API server: get 1,000 pods, one by one", act: (client) => getPods(client, 1) },
  { name: "API server: list 1,000 pods", act: listPods, times: 5 },
  { name: "API server: list 1,000 pods in pages of 500", act: listPodsInPages, times: 5 },
  { act: deletePods },
  { name: "API server: create 1,000 pods, 16 at a time", act: (client) => createPods(client, 16) },
  { name: "API server: get 1,000 pods, 16 at a time", act: (client) => getPods(client, 16) },
  { act: deletePods },
];

/** The API server of local mode beside a real kube-apiserver; nothing, and why, where there is no real one. */
export async function measureApiServers(cleanup: Cleanup): Promise<readonly Figure[]> {
  const file = await realServerFile();
  if (file === undefined) return [];
  const theirs = await startContestant(realServer(file), cleanup);
  const ours = await startContestant(localServer, cleanup);
  process.stderr.write(`Beside kube-apiserver ${theirs.version}\n`);
  // A server that has just started is slower than it will ever be again, so the first round does not count.
  await measureSteps([ours, theirs], 1);
  return [
    ...(await measureSteps([ours, theirs], repetitions(7, 2))),
    await measureWatchLatency([ours, theirs], 1),
    await measureWatchLatency([ours, theirs], 50),
  ];
}

async function realServerFile(): Promise<string | undefined> {
  try {
    return (await kubernetesBinaries()).apiserver;
  } catch (error) {
    process.stderr.write(`The API server is not measured: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

async function measureSteps(contestants: readonly [Contestant, Contestant], rounds: number): Promise<Figure[]> {
  const duels = steps.map((step) => new Duel(contestants, ({ client }) => timed(step, client)));
  for (let round = 0; round < rounds; round += 1) {
    for (const duel of duels) await duel.round();
  }
  return duels.flatMap(({ values, limits }, index) => {
    const name = steps[index]?.name;
    return name === undefined ? [] : [figure({ name, unit: "ms", values, limits, goal: 1 })];
  });
}

async function timed({ act, times = 1 }: Step, client: KubeClient): Promise<readonly number[]> {
  const values: number[] = [];
  while (values.length < times) {
    const started = performance.now();
    await act(client);
    values.push(performance.now() - started);
  }
  return values;
}
