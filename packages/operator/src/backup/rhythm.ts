import { Cron } from "croner";
import type { EtcdBackup } from "../api/etcd-backup.ts";

const DAY_MS = 86_400_000;

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

/**
 * The first time after another at which a schedule fires; undefined when it never does again. In the hour that comes
 * twice when the clock goes back, cron(8) is followed: what is due at every hour or minute is due in both of them, and
 * what has hours of its own once.
 */
export function nextFiringMs(pattern: string, timeZone: string, afterMs: number): number | undefined {
  const options = { paused: true, mode: "5-part", timezone: timeZone } as const;
  const firingAfter = (ms: number) => new Cron(pattern, options).nextRun(new Date(ms))?.getTime();
  let next = firingAfter(afterMs);
  // The parser lets a list or range of hours fire in both.
  while (next !== undefined && !isByTheHour(pattern) && isRepeated(timeZone, next)) next = firingAfter(next);
  return next;
}

/**
 * When a run counts as due that was found due. Runs of an interval keep their distance although each begins a moment
 * late; but what was missed is not made up for one by one.
 */
export function slotOf(rhythm: Periodic, dueMs: number, nowMs: number): number {
  return rhythm.kind === "interval" && nowMs - dueMs >= rhythm.everyMs ? nowMs : dueMs;
}

/** When the run after the one at `slotMs` is due. */
export function nextAfter(rhythm: Periodic, slotMs: number, nowMs: number): number | undefined {
  if (rhythm.kind === "interval") return slotMs + rhythm.everyMs;
  return nextFiringMs(rhythm.pattern, rhythm.timeZone, Math.max(slotMs, nowMs));
}

function isByTheHour(pattern: string): boolean {
  const [minute = "", hour = ""] = pattern.split(/ +/);
  return minute === "@hourly" || minute.startsWith("*") || hour.startsWith("*");
}

/** Whether the clock of that place has shown this time before, on the same day. */
function isRepeated(timeZone: string, ms: number): boolean {
  const before = offsetMinutes(timeZone, ms - DAY_MS);
  const backMs = (before - offsetMinutes(timeZone, ms)) * 60_000;
  return backMs > 0 && offsetMinutes(timeZone, ms - backMs) === before;
}

function offsetMinutes(timeZone: string, ms: number): number {
  const name = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(ms)
    .find(({ type }) => type === "timeZoneName")?.value;
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name ?? "") ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
