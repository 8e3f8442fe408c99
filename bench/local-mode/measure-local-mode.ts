import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figure.ts";
import { measureMemory } from "./memory.ts";
import { measurePodToRunning } from "./pod-to-running.ts";
import { measureStartToReady } from "./start-to-ready.ts";

/** Local mode as a whole, as `make run` starts it, beside what was promised of it. */
export async function measureLocalMode(cleanup: Cleanup): Promise<readonly Figure[]> {
  const local = await cleanup.use(startLocalMode({ operator: true }), (started) => started.dispose());
  const starting = await measureStartToReady(local);
  const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
  const client = await cleanup.use(connected, (opened) => opened.close());
  return [starting, await measurePodToRunning(client), await measureMemory(client, local.pid)];
}
