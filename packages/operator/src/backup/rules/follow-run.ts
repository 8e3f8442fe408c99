import type { RunAbout } from "../observation.ts";
import { type Rule, type Situation, wishOf } from "../situation.ts";

/** A run for another object, or for a spec that has changed since, is of no use, however it ends. */
export const dropOutdatedRun: Rule = (now) => {
  const { run } = now.seen;
  if (!run || isWanted(run.about, now)) return undefined;
  return {
    kind: "drop-run",
    reason: "SpecChanged",
    message: "The spec has changed: cancelling the run for the previous spec",
  };
};

export const recordRun: Rule = ({ seen }) => {
  const { run } = seen;
  if (run?.state.kind !== "ended") return undefined;
  const { about, state } = run;
  const { outcome } = state;
  const message = outcome.kind === "succeeded" ? `Backup '${outcome.snapshot.path}' is verified` : outcome.message;
  const reason = outcome.kind === "succeeded" ? "BackupSucceeded" : "BackupFailed";
  return { kind: "record-run", run: { about, state }, reason, message };
};

export const followRun: Rule = ({ seen }) => {
  if (!seen.run) return undefined;
  const { state } = seen.run;
  if (state.kind === "queued") {
    return { kind: "hold", reason: "Queued", message: "The backup is queued: other transfers are running" };
  }
  return { kind: "hold", reason: "Running", message: "Taking the backup" };
};

function isWanted({ uid, request }: RunAbout, { seen, spec }: Situation): boolean {
  return uid === seen.backup.metadata.uid && seen.problems.length === 0 && request === wishOf(spec);
}
