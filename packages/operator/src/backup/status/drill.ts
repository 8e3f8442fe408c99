import { cut, parseTime, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Action, EndedDrill } from "../action.ts";
import { drillAfterNow } from "../drill-times.ts";
import type { DrillAbout } from "../observation.ts";
import type { Situation, Status } from "../situation.ts";

type Drill = NonNullable<Status["drill"]>;

/** The newest drill. One without a verdict is under way, or was interrupted. */
export function drillAfter(now: Situation, action: Action): Drill | undefined {
  const { seen, status, drill } = now;
  const nextRun = timeOf(action.kind === "start-drill" ? drillAfterNow(seen) : drill.nextRunMs);
  if (action.kind === "record-drill") return { ...verdictOf(action.drill), ...(nextRun && { nextRun }) };
  if (action.kind === "clear-drill") return nextRun ? { nextRun } : undefined;
  const about = action.kind === "start-drill" ? action.about : seen.drill?.about;
  const { nextRun: _, ...rest } = about ? begun(about) : (status.drill ?? ({} as Drill));
  const next = { ...rest, ...(nextRun && { nextRun }) };
  return Object.keys(next).length > 0 ? next : undefined;
}

function begun({ slotMs, snapshot }: DrillAbout): Drill {
  return { lastRun: rfc3339(slotMs), path: snapshot.path };
}

function verdictOf({ about, state: { outcome } }: EndedDrill): Drill {
  const { snapshot } = about;
  const { begunAtMs = about.startedAtMs } = outcome;
  const { revision, keys, sizeBytes = snapshot.sizeBytes, servedAtMs } = outcome;
  const takenAtMs = parseTime(snapshot.takenAt);
  return {
    ...begun(about),
    succeeded: outcome.kind === "passed",
    ...(outcome.kind === "failed" && { reason: cut(outcome.message) }),
    ...(revision !== undefined && { revision }),
    ...(keys !== undefined && { keys }),
    ...(sizeBytes !== undefined && { sizeBytes }),
    durationSeconds: seconds(outcome.endedAtMs - begunAtMs),
    ...(servedAtMs !== undefined && { recoveryTimeSeconds: seconds(servedAtMs - begunAtMs) }),
    ...(takenAtMs !== undefined && { recoveryPointSeconds: seconds(begunAtMs - takenAtMs) }),
  };
}

function seconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000));
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : rfc3339(ms);
}
