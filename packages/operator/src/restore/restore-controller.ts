import type { Reconcile, Source, Turns } from "@etcd-operator/controller-runtime";
import {
  BackgroundRuns,
  fenceOf,
  holdingUnread,
  OwnWrites,
  type RunControllerOptions,
  runController,
  StatusKeeper,
} from "@etcd-operator/controller-runtime";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { Controller, ControllerContext, ControllerFactory } from "../context/controller-context.ts";
import { statusToWrite } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import { WORKER_LABELS } from "../transfer/names.ts";
import { sweepStrayPods } from "../transfer/pods/stray-pods.ts";
import { type TrustFlags, trustOf } from "../transfer/trust/trust.ts";
import { ClaimTurns } from "../transfer/volume/claim-turns.ts";
import type { RunProgress, RunResult } from "./observation.ts";
import { createObserver } from "./observe.ts";
import { restoreReconciler } from "./reconcile.ts";
import { RestoreRuns } from "./runs.ts";
import { type Outside, workStarter } from "./start-work.ts";
import { stepsOf } from "./steps.ts";
import { KeptStores } from "./tasks/kept-stores.ts";
import { restoreOf, sourcesOf, type WatchedObjects, watchObjects } from "./watched-objects.ts";

export interface RestoreControllerOptions {
  /** Our own image, for the worker of a volume. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  /** Shared with everything else that streams in this process. */
  readonly streams?: Turns | undefined;
  /** Shared with whatever else opens volumes in this process. */
  readonly claimTurns?: ClaimTurns | undefined;
  /** Which namespaces may use what is the operator's own; beside its own namespace none when absent. */
  readonly trust?: TrustFlags | undefined;
  /** For tests. */
  readonly outside?: Partial<Outside> | undefined;
}

/** Restores in progress are reconciled more often; the rest have nothing to report. */
const RESYNC_MS = 60_000;
/** A store that says nothing is waited for, but not by others. */
const RUNS = { atOnce: 2, patienceMs: 10_000 };

/** The controller of EtcdRestores. */
export function restoreController(options: RestoreControllerOptions): ControllerFactory {
  return {
    name: "restores",
    needs: [ownResources.etcdRestores, ownResources.etcdClusters],
    create: (context) => createController(options, context),
  };
}

function createController(options: RestoreControllerOptions, context: ControllerContext): Controller {
  const { image, imagePullSecrets, streams, claimTurns = new ClaimTurns(), outside } = options;
  const { informers, clock, isLeading, client, scope } = context;
  const trust = trustOf(client, scope.home, options.trust);
  const watched = watchObjects(informers);
  const background = new BackgroundRuns<RunResult, RunProgress>({ ...RUNS, clock });
  const runs = new RestoreRuns(background);
  const fence = fenceOf(isLeading);
  const onError = (err: unknown) => context.logger.warn({ err }, "could not check for pods that were left behind");
  const observe = createObserver({ ...context, watched, runs, connect: outside?.connect });
  const stores = new KeptStores(clock);
  const shared = { image, imagePullSecrets, streams, claimTurns, trust, outside };
  const startWork = workStarter({ ...context, ...shared, runs, stores, fence });
  const keeper = new StatusKeeper(ownResources.etcdRestores, context.client, (seen, next) =>
    statusToWrite("EtcdRestore", seen, next),
  );
  const reconcile = holdingUnread(
    restoreReconciler(stepsOf(context, { observe, startWork, runs, stores, fence, keeper })),
    {
      ...context,
      keeper,
      fence,
      find: (key) => restoreOf(watched, key, context.scope.covers),
      outdated: () => context.outdatedCrd?.("EtcdRestore") ?? context.outdatedCrd?.("EtcdCluster"),
      conditionsOf: ({ status }) => (status?.finishedAt === undefined ? { Restored: undefined } : {}),
      reasonField: "reason",
    },
  );
  return {
    async run(signal) {
      const pods = { owners: ownResources.etcdRestores, sorts: [WORKER_LABELS] };
      const endSweeping = sweepStrayPods({ ...context, ...pods, fence, onError }, signal);
      try {
        await runController(loopOf(context, watched, [background.source], reconcile), signal);
      } finally {
        endSweeping();
        await background.close();
        await stores.close();
      }
    },
  };
}

function loopOf(
  { informers, metrics, scope, logger, health, clock, random }: ControllerContext,
  watched: WatchedObjects,
  more: readonly Source[],
  reconcile: Reconcile,
): RunControllerOptions {
  return {
    name: "restores",
    subject: "restore",
    sources: [...sourcesOf(watched), ...more],
    reconcile,
    exists: (key) => restoreOf(watched, key, scope.covers) !== undefined,
    ownWrites: new OwnWrites({ cachesOf: (resource) => informers.cachesOf(resource), clock }),
    resyncMs: RESYNC_MS,
    observer: metrics.observerOf("restores"),
    logger,
    health,
    clock,
    random,
  };
}
