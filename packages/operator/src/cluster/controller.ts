import type { Reconcile } from "@etcd-operator/controller-runtime";
import {
  countObjects,
  fenceOf,
  holdingUnread,
  OwnWrites,
  type RunControllerOptions,
  runController,
  StatusKeeper,
} from "@etcd-operator/controller-runtime";
import type { Controller, ControllerContext, ControllerFactory } from "../context/controller-context.ts";
import { statusToWrite } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import { runChaos } from "./chaos/chaos.ts";
import { chaosTargets } from "./chaos/chaos-targets.ts";
import { restAmong } from "./model/at-rest.ts";
import { MemberConnections, type MemberConnectionsOptions } from "./observe/members/member-connections.ts";
import { releasingConnections } from "./observe/members/release-connections.ts";
import { createObserver } from "./observe.ts";
import { clusterReconciler } from "./reconcile.ts";
import { clusterGauges } from "./status/gauges.ts";
import { stepsOf } from "./steps.ts";
import { secretChanges } from "./tls/secret-changes.ts";
import { SecretReader } from "./tls/secret-reader.ts";
import { clusterOf, readersOf, sourcesOf, type WatchedObjects, watchObjects } from "./watched-objects.ts";

export interface ClusterControllerOptions {
  /** -1 is none. */
  readonly chaosLevel: number;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
  /** For tests: another way to members than there is in production. */
  readonly connect?: MemberConnectionsOptions["connect"];
  /** For tests, which have no time to wait for the check of a healthy cluster. */
  readonly restMs?: number;
}

/**
 * etcd is queried at least this often where a fault may occur that no event reports: quorum loss has to be reported
 * within 30 s.
 */
const RESYNC_MS = 12_000;
const CONCURRENCY = 8;
/**
 * Members that do not respond cost a reconcile 2.5 s, and other clusters should not have to wait for them: where a zone
 * is silent, 1,000 clusters are all checked within ten of the 30 s in which a lost majority has to be reported. Each
 * such reconcile takes memory, together less than 30 MiB.
 */
const MOST_CONCURRENCY = 256;

/** The controller of EtcdClusters. */
export function clusterController(options: ClusterControllerOptions): ControllerFactory {
  return {
    name: "clusters",
    needs: [ownResources.etcdClusters],
    create: (context) => createController(options, context),
  };
}

function createController(
  { chaosLevel, guardImage, connect, restMs }: ClusterControllerOptions,
  context: ControllerContext,
): Controller {
  const { informers, metrics, scope, logger, clock, random } = context;
  const watched = watchObjects(informers);
  const secrets = new SecretReader(context.client);
  const connections = new MemberConnections({ ...context, secrets, connect });
  const observer = createObserver({ ...context, readers: readersOf(watched), secrets, connections });
  const gauges = clusterGauges(metrics.clusters);
  const keeper = new StatusKeeper(ownResources.etcdClusters, context.client, (seen, next) =>
    statusToWrite("EtcdCluster", seen, next),
  );
  const onePass = holdingUnread(
    clusterReconciler(stepsOf(context, { observer, gauges, connections, guardImage, keeper })),
    {
      ...context,
      keeper,
      fence: fenceOf(context.isLeading),
      find: (key) => clusterOf(watched, key, scope.covers),
      outdated: () => context.outdatedCrd?.("EtcdCluster"),
      // Whether clients are served is not found out without what the status remembers.
      conditionsOf: () => ({ Available: undefined, QuorumLost: undefined, Degraded: true }),
      reasonField: "reason",
    },
  );
  const clusters = () => watched.clusters.cache.size;
  const reconcile = releasingConnections(onePass, { clusters, release: (key) => connections.letGo(key) });
  const changedSecrets = secretChanges({
    clusters: () => watched.clusters.cache.list().filter(scope.covers),
    haveChanged: observer.haveSecretsChanged,
    client: context.client,
    clock,
  });
  const forget = (key: string) => {
    gauges.forget(key);
    observer.forget(key);
  };
  return {
    async run(signal) {
      const endCount = countObjects(watched.clusters, scope.covers, metrics.clusters);
      const rest = { restMs: () => restMs ?? restAmong(clusters()) };
      const chaos = { level: chaosLevel, ...chaosTargets(watched, context), logger, clock, random };
      try {
        const sources = [...sourcesOf(watched, scope.covers), changedSecrets];
        const passes = runController({ ...loopOf(context, watched, reconcile, forget), sources, ...rest }, signal);
        await Promise.all([passes, runChaos(chaos, signal)]);
      } finally {
        endCount();
        observer.close();
      }
    },
  };
}

function loopOf(
  { informers, metrics, scope, logger, health, clock, random }: ControllerContext,
  watched: WatchedObjects,
  reconcile: Reconcile,
  forget: (key: string) => void,
): Omit<RunControllerOptions, "sources"> {
  const observer = metrics.observerOf("clusters");
  const forgotten = (key: string) => {
    observer.forgotten(key);
    forget(key);
  };
  return {
    name: "clusters",
    subject: "cluster",
    reconcile,
    exists: (key) => clusterOf(watched, key, scope.covers) !== undefined,
    ownWrites: new OwnWrites({ cachesOf: (resource) => informers.cachesOf(resource), clock }),
    resyncMs: RESYNC_MS,
    concurrency: CONCURRENCY,
    mostConcurrency: MOST_CONCURRENCY,
    observer: { ...observer, forgotten },
    logger,
    health,
    clock,
    random,
  };
}
