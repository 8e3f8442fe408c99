import type { Reconcile, Turns } from "@etcd-operator/controller-runtime";
import {
  fenceOf,
  fromInformer,
  holdingUnread,
  OwnWrites,
  type RunControllerOptions,
  runController,
  type Source,
  StatusKeeper,
} from "@etcd-operator/controller-runtime";
import type { Informer } from "@etcd-operator/kubernetes-client";
import { keyOf, messageOf, refOf } from "@etcd-operator/kubernetes-client";
import type { LocalObjectReference } from "kubernetes-types/core/v1.d.ts";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Controller, ControllerContext, ControllerFactory } from "../context/controller-context.ts";
import { STREAM_URGENCY, streamTurns } from "../context/stream-turns.ts";
import { statusToWrite } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import { WORKER_LABELS } from "../transfer/names.ts";
import { sweepStrayPods } from "../transfer/pods/stray-pods.ts";
import type { Connect } from "../transfer/snapshot/choose-member.ts";
import { openBackupStore } from "../transfer/store/open-backup-store.ts";
import { type TrustFlags, trustOf } from "../transfer/trust/trust.ts";
import { ClaimTurns } from "../transfer/volume/claim-turns.ts";
import type { Waiting } from "../transfer/volume/free-claim.ts";
import { type DrillParts, runDrill } from "./drill/run-drill.ts";
import { DRILL_LABELS } from "./objects/drill-pod.ts";
import type { DrillOutcome, RunOutcome, RunProgress } from "./observation.ts";
import { backupReconciler } from "./reconcile.ts";
import { runBackup, type Untimed } from "./run/run-backup.ts";
import { type BackupDeps, takeBackup } from "./run/take-backup.ts";
import { Runs } from "./runs.ts";
import { type StepParts, stepsOf } from "./steps.ts";
import type { BackupRuns, DrillRuns } from "./works.ts";

export interface BackupControllerOptions {
  /** Our own image, whose worker serves volumes. */
  readonly image: string;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  /** Shared with whoever else streams in this process. */
  readonly streams?: Turns | undefined;
  /** Shared with whatever else opens volumes in this process. */
  readonly claimTurns?: ClaimTurns | undefined;
  /** Which namespaces may use what is the operator's own; beside its own namespace none when absent. */
  readonly trust?: TrustFlags | undefined;
  /** For tests: other ways to stores and members than there are in production. */
  readonly openStore?: BackupDeps["openStore"] | undefined;
  readonly connect?: Connect | undefined;
}

/** What is due wakes its key by itself; this is for what nobody thought of. */
const RESYNC_MS = 300_000;
/**
 * Before anything is streamed a store is opened, which may take a pod; one that does not start is waited for, but not
 * by others.
 */
const BACKUPS = { atOnce: 4, patienceMs: 10_000 };
const DRILLS = { atOnce: 1, patienceMs: 60_000 };

/** The controller of EtcdBackups. */
export function backupController(options: BackupControllerOptions): ControllerFactory {
  return {
    name: "backups",
    // Clusters are asked for by name, when a backup wants one: who backs up other etcds needs none of them.
    needs: [ownResources.etcdBackups],
    create: (context) => createController(options, context),
  };
}

function createController(options: BackupControllerOptions, context: ControllerContext): Controller {
  const { clock, informers } = context;
  const backups = informers.add(ownResources.etcdBackups);
  const runs: BackupRuns = new Runs({ clock, ...BACKUPS, failed: failedRun, isNews: isOtherPath });
  const drills: DrillRuns = new Runs({ clock, ...DRILLS, failed: failedDrill });
  const work = worksOf(options, context);
  const fence = fenceOf(context.isLeading);
  const onError = (err: unknown) => context.logger.warn({ err }, "could not look for pods that were left behind");
  const keeper = new StatusKeeper(ownResources.etcdBackups, context.client, (seen, next) =>
    statusToWrite("EtcdBackup", seen, next),
  );
  const onePass = backupReconciler(stepsOf(context, { backups: backups.cache, runs, drills, keeper, ...work }));
  const find = (key: string) => {
    const backup = backups.cache.get(refOf(key));
    return backup && context.scope.covers(backup) ? backup : undefined;
  };
  const reconcile = holdingUnread(onePass, {
    ...context,
    keeper,
    find,
    fence,
    outdated: () => context.outdatedCrd?.("EtcdBackup"),
    conditionsOf: () => ({ Progressing: false }),
    reasonField: "Reason",
  });
  return {
    async run(signal) {
      const pods = { owners: ownResources.etcdBackups, sorts: [WORKER_LABELS, DRILL_LABELS] };
      const endSweeping = sweepStrayPods({ ...context, ...pods, fence, onError }, signal);
      try {
        await runController(loopOf(context, backups, [runs.source, drills.source], reconcile), signal);
      } finally {
        endSweeping();
        await Promise.all([runs.close(), drills.close()]);
      }
    },
  };
}

/** What runs and drills do, with everything they need. */
function worksOf(
  options: BackupControllerOptions,
  { client, clock, random, isLeading, scope }: ControllerContext,
): Pick<StepParts, "backupWork" | "drillWork"> {
  const {
    image,
    imagePullSecrets,
    streams = streamTurns(),
    claimTurns = new ClaimTurns(),
    openStore,
    connect,
  } = options;
  const trust = trustOf(client, scope.home, options.trust);
  const storeDeps = { client, trust, clock, random, claimTurns, image, imagePullSecrets };
  const parts = {
    client,
    trust,
    openStore: openStore ?? ((wish, signal) => openBackupStore(storeDeps, wish, signal)),
    clock,
    fence: fenceOf(isLeading),
    connect,
    random,
    image,
    imagePullSecrets,
  } satisfies BackupDeps & Omit<DrillParts, "turn">;
  return {
    backupWork:
      (backup) =>
      ({ signal, report, recorded }) => {
        const timeoutSeconds = backup.spec.backupPolicy?.timeoutInSecond;
        const work = (limited: AbortSignal, untimed: Untimed) => {
          const turn = () => {
            const { namespace } = backup.metadata;
            const step = `Waiting for its turn: no transfer slot is free (${streams.limits})`;
            if (streams.isFullFor(namespace)) report({ step });
            return untimed(() => streams.take(limited, STREAM_URGENCY.backup, namespace));
          };
          const waiting: Waiting = (step, wait) => {
            report({ step });
            return untimed(wait);
          };
          return takeBackup(parts, { backup, report, recorded, turn, waiting }, limited);
        };
        return runBackup(work, { clock, timeoutSeconds }, signal);
      },
    drillWork:
      (backup, about) =>
      ({ signal }) =>
        runDrill(
          { ...parts, turn: (stop) => streams.take(stop, STREAM_URGENCY.drill, backup.metadata.namespace) },
          { backup, about },
          signal,
        ),
  };
}

/** By the path in the status an object is found that nobody verified any more. */
function isOtherPath(progress: RunProgress, shown: RunProgress | undefined): boolean {
  return progress.path !== shown?.path;
}

function failedRun(error: unknown, endedAtMs: number): RunOutcome {
  return { kind: "failed", endedAtMs, message: messageOf(error), needsSomebody: false };
}

function failedDrill(error: unknown, endedAtMs: number): DrillOutcome {
  return { kind: "failed", endedAtMs, message: messageOf(error) };
}

function loopOf(
  { informers, metrics, scope, logger, health, clock, random }: ControllerContext,
  backups: Informer<EtcdBackup>,
  works: readonly Source[],
  reconcile: Reconcile,
): RunControllerOptions {
  const observer = metrics.observerOf("backups");
  const forgotten = (key: string) => {
    observer.forgotten(key);
    metrics.backups.forget(key);
  };
  return {
    name: "backups",
    subject: "backup",
    sources: [fromInformer(backups, (backup) => (scope.covers(backup) ? [keyOf(backup.metadata)] : [])), ...works],
    reconcile,
    exists: (key) => {
      const backup = backups.cache.get(refOf(key));
      return backup !== undefined && scope.covers(backup);
    },
    ownWrites: new OwnWrites({ cachesOf: (resource) => informers.cachesOf(resource), clock }),
    resyncMs: RESYNC_MS,
    observer: { ...observer, forgotten },
    logger,
    health,
    clock,
    random,
  };
}
