import { parseTime } from "@etcd-operator/kubernetes-client";
import { currentBackup } from "../api/backup/backup-place.ts";
import type { Observation } from "./observation.ts";
import { nextFiringMs } from "./rhythm.ts";

export interface DrillTimes {
  /** When the next one is due by its schedule; undefined when there is none. */
  readonly nextRunMs: number | undefined;
  /** When the next one is begun; undefined while there is nothing to prove. */
  readonly dueMs: number | undefined;
}

const NEVER: DrillTimes = { nextRunMs: undefined, dueMs: undefined };

/** When drills are due. What passed unnoticed is made up for by one; what was interrupted is begun again. */
export function drillTimes({ backup, problems, drill, nowMs }: Observation, isNewSpec: boolean): DrillTimes {
  const { drillSchedule, timeZone = "UTC" } = backup.spec.backupPolicy ?? {};
  if (problems.length > 0 || !drillSchedule) return NEVER;
  const { drill: last } = backup.status ?? {};
  const recorded = parseTime(last?.nextRun);
  const isStanding = recorded !== undefined && (!isNewSpec || recorded <= nowMs);
  const nextRunMs = isStanding ? recorded : nextFiringMs(drillSchedule, timeZone, nowMs);
  if (!currentBackup(backup)) return { nextRunMs, dueMs: undefined };
  const isInterrupted = !drill && last?.lastRun !== undefined && last.succeeded === undefined;
  return { nextRunMs, dueMs: isInterrupted ? nowMs : nextRunMs };
}

/** The one after the drill that is begun now. */
export function drillAfterNow({ backup, nowMs }: Observation): number | undefined {
  const { drillSchedule, timeZone = "UTC" } = backup.spec.backupPolicy ?? {};
  return drillSchedule ? nextFiringMs(drillSchedule, timeZone, nowMs) : undefined;
}
