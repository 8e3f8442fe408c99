import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { isDeleted, isRunning, WatchedPods } from "../watched-pods.ts";
import { NAMESPACE, sleepingPod } from "./sleeping-pod.ts";

const LIMIT_MS = 150;
const WARM_UPS = 3;

/** From sending a pod of one process to hearing that it runs, one pod after the other. */
export async function measurePodToRunning(client: KubeClient): Promise<Figure> {
  const watched = await WatchedPods.open(client, NAMESPACE);
  try {
    const values: number[] = [];
    for (let run = 0; run < WARM_UPS + repetitions(50, 20); run += 1) {
      values.push(await oneLife(client, watched, `runs-${run}`));
    }
    const name = "local mode: create a pod to Running";
    return figure({ name, unit: "ms", values: values.slice(WARM_UPS), limits: [LIMIT_MS], goal: 1 });
  } finally {
    watched.close();
  }
}

async function oneLife(client: KubeClient, watched: WatchedPods, name: string): Promise<number> {
  const runs = watched.seen(isRunning(name));
  const started = performance.now();
  const [, at] = await Promise.all([client.create(resources.pods, sleepingPod(name)), runs]);
  // Gone before the next is made, so that its end costs the next one nothing.
  const gone = watched.seen(isDeleted(name));
  await Promise.all([client.delete(resources.pods, { namespace: NAMESPACE, name }), gone]);
  return at - started;
}
