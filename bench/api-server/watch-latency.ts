import { resources } from "../../src/kubernetes/resources.ts";
import type { KubeClient } from "../../src/kubernetes/rest-client.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { isAdded, WatchedPods } from "../watched-pods.ts";
import { type Contestant, NAMESPACE } from "./contestant.ts";
import { Duel } from "./duel.ts";
import { deletePods } from "./pods.ts";
import { unscheduledPod } from "./unscheduled-pod.ts";

const SAMPLES_A_ROUND = 20;
const WARM_UPS = 5;

/** From sending a pod to hearing of it on the last of so many watches. */
export async function measureWatchLatency(
  contestants: readonly [Contestant, Contestant],
  watchers: number,
): Promise<Figure> {
  const duel = new Duel(contestants, ({ client }) => latencies(client, watchers));
  for (let round = 0; round < repetitions(10, 4); round += 1) await duel.round();
  const { values, limits } = duel;
  return figure({ name: `API server: watch latency, ${watchers} watching`, unit: "ms", values, limits, goal: 1 });
}

async function latencies(client: KubeClient, watchers: number): Promise<readonly number[]> {
  const watched = await WatchedPods.open(client, NAMESPACE, watchers);
  try {
    const values: number[] = [];
    for (let sample = 0; sample < WARM_UPS + SAMPLES_A_ROUND; sample += 1) {
      values.push(await latency(client, watched, `watched-${sample}`));
    }
    // The first ones waited until all watches were open.
    return values.slice(WARM_UPS);
  } finally {
    watched.close();
    await deletePods(client);
  }
}

async function latency(client: KubeClient, watched: WatchedPods, name: string): Promise<number> {
  const seen = watched.seen(isAdded(name));
  const started = performance.now();
  const [, at] = await Promise.all([client.create(resources.pods, unscheduledPod(name)), seen]);
  return at - started;
}
