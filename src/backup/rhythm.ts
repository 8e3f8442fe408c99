import { Cron } from "croner";
import type { EtcdBackup } from "../api/etcd-backup.ts";

/** How often a backup is taken. */
export type Rhythm =
  | { readonly kind: "once" }
  | { readonly kind: "interval"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly timeZone: string };

export type Periodic = Exclude<Rhythm, { kind: "once" }>;

export function rhythmOf({ backupPolicy }: Pick<EtcdBackup["spec"], "backupPolicy">): Rhythm {
  const { schedule, timeZone = "UTC", backupIntervalInSecond } = backupPolicy ?? {};
  if (schedule) return { kind: "cron", pattern: schedule, timeZone };
  if (backupIntervalInSecond) return { kind: "interval", everyMs: backupIntervalInSecond * 1000 };
  return { kind: "once" };
}

/** The first time after another at which a schedule fires; undefined when it never does again. */
export function nextFiringMs(pattern: string, timeZone: string, afterMs: number): number | undefined {
  const cron = new Cron(pattern, { paused: true, mode: "5-part", timezone: timeZone });
  return cron.nextRun(new Date(afterMs))?.getTime();
}

/**
 * When a run counts as due that was found due. Runs of an interval keep their distance although each begins a moment late; but what was
 * missed is not made up for one by one.
 */
export function slotOf(rhythm: Periodic, dueMs: number, nowMs: number): number {
  return rhythm.kind === "interval" && nowMs - dueMs >= rhythm.everyMs ? nowMs : dueMs;
}

/** When the run after the one at `slotMs` is due. */
export function nextAfter(rhythm: Periodic, slotMs: number, nowMs: number): number | undefined {
  if (rhythm.kind === "interval") return slotMs + rhythm.everyMs;
  return nextFiringMs(rhythm.pattern, rhythm.timeZone, Math.max(slotMs, nowMs));
}
