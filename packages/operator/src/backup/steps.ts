import type { StatusKeeper } from "@etcd-operator/controller-runtime";
import { fenceOf, TrackedClient } from "@etcd-operator/controller-runtime";
import type { CacheReader } from "@etcd-operator/kubernetes-client";
import { keyOf } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { ControllerContext } from "../context/controller-context.ts";
import { createActor } from "./act.ts";
import { eventsOf } from "./events.ts";
import { countAction, showStatus } from "./figures.ts";
import { createObserver } from "./observe.ts";
import { plan } from "./plan.ts";
import type { BackupSteps } from "./reconcile.ts";
import type { BackupRuns, DrillRuns } from "./runs.ts";
import { isWorthWriting, statusAfter } from "./status.ts";
import type { Works } from "./work.ts";

export interface StepParts extends Works {
  readonly backups: Pick<CacheReader<EtcdBackup>, "get">;
  readonly runs: BackupRuns;
  readonly drills: DrillRuns;
  readonly keeper: StatusKeeper<EtcdBackup>;
}

/** The steps of a reconcile as they are in production. */
export function stepsOf(context: ControllerContext, parts: StepParts): BackupSteps {
  const { backups, runs, drills, backupWork, drillWork, keeper } = parts;
  const { client, isLeading, recorder, metrics, scope, clock } = context;
  const fence = fenceOf(isLeading);
  const observe = createObserver({ client, backups, scope, runs, drills, clock });
  const act = createActor({ client, runs, drills, fence, backupWork, drillWork });
  return {
    async observe(key, pass, signal) {
      const seen = await observe(key, pass, signal);
      if (seen) showStatus(metrics.backups, key, seen);
      return seen;
    },
    plan,
    async act(seen, action, { writes }, signal) {
      await act(seen, action, { writer: new TrackedClient(client, writes), signal });
      return { kind: "done" };
    },
    statusAfter,
    isWorthWriting,
    async writeStatus(seen, status, { writes }, signal) {
      const { backup } = seen;
      fence(`writing the status of EtcdBackup ${backup.metadata.name}`);
      const { metadata } = await keeper.write(new TrackedClient(client, writes), backup, status, signal);
      return { ...seen, backup: { ...backup, metadata, status } };
    },
    eventsOf: (seen, action, _, status) => eventsOf(seen, action, status),
    record: ({ backup }, event) => recorder.record(backup, event),
    async settle({ backup, run }, action) {
      const key = keyOf(backup.metadata);
      if (run) runs.written(key, run);
      countAction(metrics.backups, key, action);
      if (action.kind === "record-run") await runs.drop(key);
      if (action.kind === "record-drill") await drills.drop(key);
    },
    async forget(key) {
      await Promise.all([runs.drop(key), drills.drop(key)]);
    },
    clock,
  };
}
