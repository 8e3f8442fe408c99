import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import { type Figure, figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { measureMemory } from "./memory.ts";
import { measurePodToRunning } from "./pod-to-running.ts";

/** Local mode as a whole, as `make run` starts it, beside what was promised of it. */
export async function measureLocalMode(cleanup: Cleanup): Promise<readonly Figure[]> {
  const local = await cleanup.use(startLocalMode({ operator: true }), (started) => started.dispose());
  const starting = await measureStartToReady(local);
  const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
  const client = await cleanup.use(connected, (opened) => opened.close());
  return [starting, await measurePodToRunning(client), await measureMemory(client, local.pid)];
}

const LIMIT_MS = 3_000;

/** From starting the program to its word "ready", on the state of a former run. */
async function measureStartToReady(local: LocalModeUnderTest): Promise<Figure> {
  const values: number[] = [];
  while (values.length < repetitions(11, 5)) {
    await local.stop();
    const started = performance.now();
    await local.start();
    values.push(performance.now() - started);
  }
  return figure({ name: "local mode: start to ready", unit: "ms", values, limits: [LIMIT_MS], goal: 1 });
}
