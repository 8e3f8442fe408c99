import { parseTime } from "@etcd-operator/kubernetes-client";
import type { BackupMetrics } from "../context/backup-metrics.ts";
import type { Action } from "./action.ts";
import type { Observation } from "./observation.ts";

/** Metrics of the newest backup and the newest drill from the status, also after a restart. */
export function showStatus(metrics: BackupMetrics, key: string, { backup }: Observation): void {
  const { lastSuccessDate, lastBackup, etcdRevision, drill } = backup.status ?? {};
  const verifiedAtMs = parseTime(lastSuccessDate);
  const [sizeBytes, revision] = [lastBackup?.sizeBytes, lastBackup?.revision ?? etcdRevision];
  metrics.show(key, verifiedAtMs === undefined ? undefined : { verifiedAtMs, sizeBytes, revision });
  if (drill?.succeeded !== undefined) metrics.showDrill(key, { ...drill, succeeded: drill.succeeded });
}

/** Counts what was begun and what came of it. */
export function countAction(metrics: BackupMetrics, key: string, action: Action): void {
  if (action.kind === "start-run") metrics.attempted(key);
  if (action.kind === "record-drill") metrics.drilled(key, action.drill.state.outcome.kind === "passed");
  if (action.kind !== "record-run") return;
  const { about, state } = action.run;
  if (state.outcome.kind === "failed") metrics.failed(key);
  else metrics.succeeded(key, (state.outcome.endedAtMs - about.startedAtMs) / 1000);
}
