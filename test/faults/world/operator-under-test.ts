import { backupController } from "../../../src/backup/backup-controller.ts";
import { clusterController } from "../../../src/cluster/cluster-controller.ts";
import { streamTurns } from "../../../src/context/stream-turns.ts";
import type { ClientOptions } from "../../../src/etcd/call-options.ts";
import type { Endpoint } from "../../../src/etcd/endpoint.ts";
import type { EtcdClient } from "../../../src/etcd/etcd-client.ts";
import { type Clock, systemClock } from "../../../src/kubernetes/clock.ts";
import { EventRecorder } from "../../../src/kubernetes/event-recorder.ts";
import type { ElectionTimes } from "../../../src/kubernetes/lease-election.ts";
import type { KubeClient } from "../../../src/kubernetes/rest-client.ts";
import { Health } from "../../../src/observability/health.ts";
import { createLogger } from "../../../src/observability/logger.ts";
import { Metrics } from "../../../src/context/metrics.ts";
import { leadControllers } from "../../../src/operator/lead-controllers.ts";
import { scopeOf } from "../../../src/operator/scope.ts";
import { restoreController } from "../../../src/restore/restore-controller.ts";
import type { Outside } from "../../../src/restore/start-work.ts";
import { ClaimTurns } from "../../../src/transfer/claim-turns.ts";
import { ANY_TRUST } from "../../support/transfer/any-trust.ts";
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
  /** Resolves when it has ended, whatever the reason; undefined where it was told to. */
  readonly ended: Promise<unknown>;
}

const IMAGE = "etcd-operator:test";
/** As often as where something is wrong, so that whoever writes needlessly is soon found out. */
const REST_MS = 12_000;

/** The whole operator in this process: three controllers with their elections, informers and queues, as one process would have them. */
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
        ((wish, signal) =>
          openStore({ client, trust: ANY_TRUST, clock, random, claimTurns, image: IMAGE }, wish, signal)),
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
