import { EventRecorder } from "../../kubernetes/event-recorder.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import type { LocalConfig } from "../config.ts";
import type { ControllerContext } from "./controller-context.ts";
import { KnownResources } from "./discovery/known-resources.ts";
import { startDisruption } from "./disruption/start-disruption.ts";
import { startEndpoints } from "./endpoints/start-endpoints.ts";
import { startGarbageCollector } from "./garbage/start-garbage-collector.ts";
import { informersOf } from "./informers.ts";
import { startNamespaceDefaults } from "./namespaces/start-namespace-defaults.ts";
import { startNamespaces } from "./namespaces/start-namespaces.ts";
import { startScheduler } from "./scheduling/start-scheduler.ts";
import { startStorage } from "./storage/start-storage.ts";

export interface ControllersOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export interface RunningControllers {
  /** Resolves after the abort, when nothing is followed any more. */
  readonly stopped: Promise<void>;
}

/** Starts all that a kube-controller-manager and a kube-scheduler would do here; the API server may come later. */
export function startControllers(config: LocalConfig, { client, signal, log }: ControllersOptions): RunningControllers {
  const onError = (error: unknown) => log(`controllers: ${String(error)}`);
  const informers = informersOf(client, onError);
  const events = new EventRecorder({ client, component: "local-controllers", signal, onError });
  const context: ControllerContext = { config, client, informers, events, signal, log };

  const known = new KnownResources(context);
  startGarbageCollector(context, known);
  startNamespaces(context, known);
  startNamespaceDefaults(context);
  startStorage(context);
  startEndpoints(context);
  startDisruption(context, known);
  startScheduler(context);
  known.start();
  const ended = Promise.all(Object.values(informers).map((informer) => informer.run(signal)));

  return { stopped: ended.then(() => undefined) };
}
