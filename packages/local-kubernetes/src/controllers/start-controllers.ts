import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { type Clock, EventRecorder, systemClock } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "../config.ts";
import type { ControllerContext } from "./controller-context.ts";
import { KnownResources } from "./discovery/known-resources.ts";
import { startDisruption } from "./disruption/start-disruption.ts";
import { startEndpoints } from "./endpoints/start-endpoints.ts";
import { startGarbageCollector } from "./garbage/start-garbage-collector.ts";
import { informersOf } from "./informers.ts";
import { startNamespaceDefaults } from "./namespaces/start-namespace-defaults.ts";
import { startNamespaces } from "./namespaces/start-namespaces.ts";
import { type NodeLifecycleOptions, startNodeLifecycle } from "./nodes/start-node-lifecycle.ts";
import { startPodGarbage } from "./nodes/start-pod-garbage.ts";
import { startTaintEviction } from "./nodes/start-taint-eviction.ts";
import { startRoleAggregation } from "./roles/start-role-aggregation.ts";
import { startScheduler } from "./scheduling/start-scheduler.ts";
import { startStorage } from "./storage/start-storage.ts";
import { startCronJobs } from "./workloads/cron-jobs.ts";
import { startDeployments } from "./workloads/deployments.ts";
import { startJobs } from "./workloads/jobs.ts";
import { startReplicaSets } from "./workloads/replica-sets.ts";

export interface ControllersOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  readonly nodes?: NodeLifecycleOptions;
}

export interface RunningControllers {
  /** Resolves after the abort, when nothing is followed any more. */
  readonly stopped: Promise<void>;
}

/** Starts all that a kube-controller-manager and a kube-scheduler would do here; the API server may come later. */
export function startControllers(config: LocalConfig, options: ControllersOptions): RunningControllers {
  const { client, signal, log, clock = systemClock } = options;
  const onError = (error: unknown) => log(`controllers: ${String(error)}`);
  const informers = informersOf(client, onError);
  const events = new EventRecorder({ client, component: "local-controllers", signal, onError });
  const context: ControllerContext = { config, client, informers, events, clock, signal, log };

  const known = new KnownResources(context);
  startGarbageCollector(context, known);
  startNamespaces(context, known);
  startNamespaceDefaults(context);
  startStorage(context);
  startEndpoints(context);
  startDisruption(context, known);
  startRoleAggregation(context);
  // Events name who tells, and some look for these names.
  const speakingAs = (component: string) => ({
    ...context,
    events: new EventRecorder({ client, component, signal, onError }),
  });
  startScheduler(speakingAs("default-scheduler"));
  startNodeLifecycle(speakingAs("node-controller"), options.nodes ?? config.nodeLifecycle);
  startTaintEviction(speakingAs("taint-eviction-controller"));
  startPodGarbage(context);
  startReplicaSets(speakingAs("replicaset-controller"));
  startDeployments(context);
  startJobs(speakingAs("job-controller"));
  startCronJobs(context);
  known.start();
  const ended = Promise.all(Object.values(informers).map((informer) => informer.run(signal)));

  return { stopped: ended.then(() => undefined) };
}
