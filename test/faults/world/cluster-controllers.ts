import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { EventRecorder, systemClock } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import type { ControllerContext } from "@etcd-operator/local-kubernetes/controllers/controller-context.ts";
import { KnownResources } from "@etcd-operator/local-kubernetes/controllers/discovery/known-resources.ts";
import { startDisruption } from "@etcd-operator/local-kubernetes/controllers/disruption/start-disruption.ts";
import { startGarbageCollector } from "@etcd-operator/local-kubernetes/controllers/garbage/start-garbage-collector.ts";
import { informersOf } from "@etcd-operator/local-kubernetes/controllers/informers.ts";
import { startScheduler } from "@etcd-operator/local-kubernetes/controllers/scheduling/start-scheduler.ts";
import { startStorage } from "@etcd-operator/local-kubernetes/controllers/storage/start-storage.ts";

/** What lies in a volume is the model's affair. */
const NO_FOLDERS = { make: async () => undefined, remove: async () => undefined };

/**
 * Those of local mode's controllers without which an operator's objects would not live and die: garbage, volumes,
 * nodes, budgets.
 */
export function startClusterControllers(client: KubeClient, signal: AbortSignal, nodeName: string): Promise<unknown> {
  const onError = () => undefined;
  const informers = informersOf(client, onError);
  const events = new EventRecorder({ client, component: "controllers", signal, onError });
  // Of the configuration only the nodes are asked for here: where a volume is to lie.
  const config = { nodes: [{ nodeName }], stateDir: "/volumes" } as unknown as LocalConfig;
  const context: ControllerContext = {
    ...{ config, client, informers, events, signal },
    clock: systemClock,
    log: onError,
  };
  const known = new KnownResources(context);
  startGarbageCollector(context, known);
  startStorage(context, NO_FOLDERS);
  startDisruption(context, known);
  startScheduler(context);
  known.start();
  return Promise.all(Object.values(informers).map((informer) => informer.run(signal)));
}
