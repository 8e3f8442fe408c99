import type { Reconcile } from "@etcd-operator/controller-runtime";
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
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { Controller, ControllerContext, ControllerFactory } from "../context/controller-context.ts";
import { statusToWrite } from "../objects/judged-object.ts";
import { ownResources } from "../objects/own-resources.ts";
import { WORKER_LABELS } from "../transfer/names.ts";
import { sweepStrayPods } from "../transfer/pods/stray-pods.ts";
import { DRILL_LABELS } from "./objects/drill-pod.ts";
import type { DrillOutcome, RunOutcome, RunProgress } from "./observation.ts";
import { backupReconciler } from "./reconcile.ts";
import { type BackupRuns, type DrillRuns, Runs } from "./runs.ts";
import { stepsOf } from "./steps.ts";
import { type WorkOptions, worksOf } from "./work.ts";

export type BackupControllerOptions = WorkOptions;

/** Scheduled work wakes its key by itself; this is a safety net. */
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
    // Clusters are read by name, when a backup needs one: backups of other etcds need none of them.
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
  const onError = (err: unknown) => context.logger.warn({ err }, "could not check for pods that were left behind");
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

/** The status names the object by its path; without metadata it counts as unverified. */
function isOtherPath(progress: RunProgress, shown: RunProgress | undefined): boolean {
  return progress.path !== shown?.path;
}

function failedRun(error: unknown, endedAtMs: number): RunOutcome {
  return { kind: "failed", endedAtMs, message: messageOf(error), needsFix: false };
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
