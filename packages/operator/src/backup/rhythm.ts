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

/**
 * The first time after another at which a schedule fires; undefined when it never does again. In the hour that comes twice when the clock goes
 * back, cron(8) is followed: what is due at every hour or minute is due in both of them, and what has an hour of its own once.
 */
export function nextFiringMs(pattern: string, timeZone: string, afterMs: number): number | undefined {
  const byTheClock = nextByTheClock(pattern, timeZone, afterMs);
  if (byTheClock === undefined || !isByTheHour(pattern)) return byTheClock;
  // Of two times with one name the parser knows one: the other is found by the distance from UTC that holds there.
  const offsets = new Set([offsetMinutes(timeZone, afterMs), offsetMinutes(timeZone, byTheClock)]);
  return Math.min(
    byTheClock,
    ...[...offsets].map((offset) => nextAtOffset(pattern, timeZone, { offset, afterMs, byTheClock })),
  );
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

function nextByTheClock(pattern: string, timezone: string, afterMs: number): number | undefined {
  let next = cronRun(pattern, { timezone }, afterMs);
  // In the second of two equal hours the parser answers with a time in the first, which is over.
  while (next !== undefined && next <= afterMs) {
    const backMinutes = offsetMinutes(timezone, next) - offsetMinutes(timezone, afterMs);
    next = cronRun(pattern, { timezone }, next + Math.max(1, backMinutes) * 60_000);
  }
  return next;
}

interface Search {
  readonly offset: number;
  readonly afterMs: number;
  readonly byTheClock: number;
}

function nextAtOffset(pattern: string, timeZone: string, { offset, afterMs, byTheClock }: Search): number {
  let next: number | undefined = afterMs;
  do next = cronRun(pattern, { utcOffset: offset }, next);
  while (next !== undefined && next < byTheClock && offsetMinutes(timeZone, next) !== offset);
  return next ?? byTheClock;
}

function cronRun(pattern: string, zone: { timezone: string } | { utcOffset: number }, afterMs: number) {
  return new Cron(pattern, { paused: true, mode: "5-part", ...zone }).nextRun(new Date(afterMs))?.getTime();
}

function isByTheHour(pattern: string): boolean {
  const [minute = "", hour = ""] = pattern.split(/ +/);
  return minute === "@hourly" || minute.startsWith("*") || hour.startsWith("*");
}

function offsetMinutes(timeZone: string, ms: number): number {
  const name = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(ms)
    .find(({ type }) => type === "timeZoneName")?.value;
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name ?? "") ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
