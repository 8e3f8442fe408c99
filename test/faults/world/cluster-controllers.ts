import { systemClock } from "../../../src/kubernetes/clock.ts";
import { EventRecorder } from "../../../src/kubernetes/event-recorder.ts";
import type { KubeClient } from "../../../src/kubernetes/rest-client.ts";
import type { LocalConfig } from "../../../src/local/config.ts";
import type { ControllerContext } from "../../../src/local/controllers/controller-context.ts";
import { KnownResources } from "../../../src/local/controllers/discovery/known-resources.ts";
import { startDisruption } from "../../../src/local/controllers/disruption/start-disruption.ts";
import { startGarbageCollector } from "../../../src/local/controllers/garbage/start-garbage-collector.ts";
import { informersOf } from "../../../src/local/controllers/informers.ts";
import { startScheduler } from "../../../src/local/controllers/scheduling/start-scheduler.ts";
import { startStorage } from "../../../src/local/controllers/storage/start-storage.ts";

/** What lies in a volume is the model's affair. */
const NO_FOLDERS = { make: async () => undefined, remove: async () => undefined };

/** Those of local mode's controllers without which an operator's objects would not live and die: garbage, volumes, nodes, budgets. */
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
