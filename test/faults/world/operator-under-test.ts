import { createLogger, Health } from "@etcd-operator/controller-runtime";
import type { Endpoint, EtcdClient } from "@etcd-operator/etcd-client";
import type { ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import type { ElectionTimes, KubeClient } from "@etcd-operator/kubernetes-client";
import { type Clock, EventRecorder, systemClock } from "@etcd-operator/kubernetes-client";
import { backupController } from "@etcd-operator/operator/backup/backup-controller.ts";
import { clusterController } from "@etcd-operator/operator/cluster/controller.ts";
import { Metrics } from "@etcd-operator/operator/context/metrics.ts";
import { streamTurns } from "@etcd-operator/operator/context/stream-turns.ts";
import { leadControllers } from "@etcd-operator/operator/process/lead-controllers.ts";
import { scopeOf } from "@etcd-operator/operator/process/scope.ts";
import { restoreController } from "@etcd-operator/operator/restore/restore-controller.ts";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import { ClaimTurns } from "@etcd-operator/operator/transfer/volume/claim-turns.ts";
import { ANY_TRUST } from "@etcd-operator/testing/transfer/any-trust.ts";
import type { Life } from "../transport/life.ts";

export interface OperatorGiven {
  readonly client: KubeClient;
  readonly connect: (endpoint: Endpoint, options?: ClientOptions) => EtcdClient;
  readonly outside?: { readonly openStore: Outside["openStore"]; readonly push: Outside["push"] | undefined };
  readonly namespace: string;
  /** Of this process among those that come after one another. */
  readonly identity: string;
  readonly random: () => number;
  /** As the machine that it runs on has it; what it knows of the time it knows from here. */
  readonly clock?: Clock | undefined;
  readonly life: Life;
  readonly log: (line: string) => void;
  readonly electionTimes?: ElectionTimes;
}

export interface OperatorUnderTest {
  readonly metrics: Metrics;
  /** Resolves when it has ended, whatever the reason; undefined where it was stopped. */
  readonly ended: Promise<unknown>;
}

const IMAGE = "etcd-operator:test";
/** As often as where something is wrong, so that needless writes are soon found. */
const REST_MS = 12_000;

/**
 * The whole operator in this process: three controllers with their elections, informers and queues, as one process
 * would have them.
 */
export function startOperator(given: OperatorGiven): OperatorUnderTest {
  const {
    client,
    connect,
    outside,
    namespace,
    identity,
    random,
    clock = systemClock,
    life,
    log,
    electionTimes,
  } = given;
  const logger = createLogger({ level: "info", write: log });
  const [health, metrics] = [new Health(), new Metrics()];
  const recorder = new EventRecorder({
    client,
    component: "etcd-operator",
    instance: identity,
    signal: life.signal,
    clock,
    random,
  });
  const claimTurns = new ClaimTurns();
  const shared = { image: IMAGE, streams: streamTurns(), claimTurns, trust: ANY_TRUST };
  const openStore = outside?.openStore;
  const controllers = [
    clusterController({ chaosLevel: -1, guardImage: IMAGE, connect, restMs: REST_MS }),
    backupController({
      ...shared,
      connect,
      openStore:
        openStore &&
        ((request, signal) =>
          openStore({ client, trust: ANY_TRUST, clock, random, claimTurns, image: IMAGE }, request, signal)),
    }),
    restoreController({
      ...shared,
      outside: { connect, ...(openStore && { openStore }), ...(outside?.push && { push: outside.push }) },
    }),
  ];
  const scope = scopeOf({ clusterWide: false, namespace });
  const options = { client, scope, logger, metrics, health, recorder, clock, random, electionTimes };
  const ended = leadControllers(
    controllers,
    { ...options, identity: { holder: identity, hasEnded: () => false } },
    life.signal,
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { metrics, ended };
}
