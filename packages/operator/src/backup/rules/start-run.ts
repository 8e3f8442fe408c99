import { parseTime } from "@etcd-operator/kubernetes-client";
import type { RunAbout } from "../observation.ts";
import { nextAfter, slotOf } from "../rhythm.ts";
import { type Due, lastReason, type Rule, type Situation, wishOf } from "../situation.ts";

/** Begins the run that is due. */
export const startRun: Rule = (now) => {
  const { due, seen } = now;
  if (!due || due.atMs > seen.nowMs) return undefined;
  const about = aboutRun(now, due);
  const again = about.attempt > 1 ? `, attempt ${about.attempt}` : "";
  return { kind: "start-run", about, reason: "BackupStarted", message: `Starting a backup: ${WHY[due.why]}${again}` };
};

const WHY: Readonly<Record<Due["why"], string>> = {
  first: "it is the first",
  scheduled: "it is due",
  retry: "the last attempt failed",
  interrupted: "the last attempt was interrupted",
};

function aboutRun(now: Situation, due: Due): RunAbout {
  const { seen, spec } = now;
  return {
    uid: seen.backup.metadata.uid,
    request: wishOf(spec),
    startedAtMs: seen.nowMs,
    ...timesOf(now, due),
    attempt: attemptOf(now, due),
  };
}

function attemptOf({ status, attempts }: Situation, { why }: Due): number {
  // What was interrupted has not failed.
  if (why === "interrupted") return Math.max(1, attempts);
  // Attempts that failed for lack of a fix by the user do not count.
  return lastReason(status) === "NeedsAttention" ? 1 : attempts + 1;
}

function timesOf(now: Situation, due: Due): Pick<RunAbout, "slotMs" | "nextRunMs"> {
  const { seen, status, rhythm, nextRunMs } = now;
  const { nowMs } = seen;
  const isNewRun = due.why === "first" || due.why === "scheduled";
  if (rhythm.kind === "once") return { slotMs: lastRunMs(now, isNewRun), nextRunMs: undefined };
  if (!isNewRun) return { slotMs: parseTime(status.lastRun) ?? nowMs, nextRunMs };
  const slotMs = slotOf(rhythm, due.atMs, nowMs);
  return { slotMs, nextRunMs: nextAfter(rhythm, slotMs, nowMs) };
}

function lastRunMs({ seen, status }: Situation, isNewRun: boolean): number {
  return (isNewRun ? undefined : parseTime(status.lastRun)) ?? seen.nowMs;
}
