import { Cron } from "croner";

/** When something is to happen. */
export interface Schedule {
  /** The first moment after another; undefined when there is none. */
  next(afterMs: number): number | undefined;
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };

/** Reads five fields of cron, a name such as "@hourly", or "@every 1h30m"; undefined for what is none of these. */
export function scheduleOf(text: string, timeZone = "UTC"): Schedule | undefined {
  const every = /^@every\s+(.+)$/.exec(text)?.[1];
  if (every !== undefined) return intervalOf(every);
  try {
    // Here a question mark is another word for "any"; croner would take it for the moment at which it is read.
    const cron = new Cron(text.replaceAll("?", "*"), { paused: true, mode: "5-part", timezone: timeZone });
    return { next: (afterMs) => cron.nextRun(new Date(afterMs))?.getTime() };
  } catch {
    return undefined;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function intervalOf(duration: string): Schedule | undefined {
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== duration) return undefined;
  const sum = parts.reduce((total, [, count, unit]) => total + Number(count) * (UNITS_MS[unit ?? ""] ?? 0), 0);
  const everyMs = Math.max(1000, Math.floor(sum / 1000) * 1000);
  return { next: (afterMs) => Math.floor(afterMs / 1000) * 1000 + everyMs };
}
