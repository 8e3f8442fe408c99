import type { StoredSnapshot } from "../../api/stored-snapshot.ts";
import type { Action } from "../action.ts";
import { conditionOf, isOwnAndEmpty, isTrue } from "../attempt.ts";
import type { Observation } from "../observation.ts";
import { reasonOf } from "./work.ts";

/** What was saved longer ago says little of what would be lost now. */
const FRESH_MS = 15 * 60_000;

/**
 * What still answers is saved before anything is asked of the cluster. What another process saved is saved again: nobody knows how long
 * ago it went.
 */
export function save(seen: Observation): Action | undefined {
  const { restore, cluster, runs, nowMs } = seen;
  if (!cluster || isOwnAndEmpty(seen)) return undefined;
  const run = runs.save;
  const saving = { reason: "Saving", message: `A member of EtcdCluster '${cluster.metadata.name}' is saved first` };
  switch (run?.kind) {
    case undefined:
      return { kind: "save", isRepeated: false, ...saving };
    case "queued":
    case "running": {
      const { progress } = run.kind === "running" ? run : {};
      const message = progress?.trouble ?? saving.message;
      return { kind: "hold", reason: "Saving", message, phase: "Saving", ...(progress && { progress }) };
    }
    case "failed":
      return notSaved(`What is there could not be saved, so it is not touched: ${reasonOf(run.error)}`);
    case "ended":
      if (run.result.kind === "saved" && nowMs - takenMs(run.result.snapshot) > FRESH_MS) {
        return { kind: "save", isRepeated: true, ...saving };
      }
      return isRecorded(restore, run.result) ? undefined : record(restore, run.result);
  }
}

type Result = Extract<Observation["runs"]["save"], { kind: "ended" }>["result"];

function isRecorded(restore: Observation["restore"], result: Result): boolean {
  const condition = conditionOf(restore, "Saved");
  if (result.kind !== "saved") return condition?.status === "False";
  return condition?.status === "True" && restore.status?.safetySnapshot?.sha256 === result.snapshot.sha256;
}

function record(restore: Observation["restore"], result: Result): Action {
  const backup = isTrue(restore, "Verified") ? restore.status?.snapshot : undefined;
  if (result.kind === "nobody") {
    const message = `Nothing could be saved, because nobody answers: ${result.why}`;
    if (!backup) return notSaved(`${conditionOf(restore, "Verified")?.message}; and there is no survivor. ${message}`);
    return { kind: "record-saved", reason: "NobodyAnswers", message, safetySnapshot: undefined, snapshot: backup };
  }
  if (result.kind !== "saved") throw new TypeError(`saving cannot end in '${result.kind}'`);
  const { snapshot: safetySnapshot } = result;
  const isPreferred = restore.spec.preferNewerSurvivor && (safetySnapshot.revision ?? 0) >= (backup?.revision ?? 0);
  const saved = `What is there was saved as '${safetySnapshot.path}', revision ${safetySnapshot.revision}`;
  const message = isPreferred ? `${saved}; it is restored itself, because the backup is not newer` : saved;
  const snapshot = isPreferred || !backup ? safetySnapshot : backup;
  return { kind: "record-saved", reason: "Saved", message, safetySnapshot, snapshot };
}

function takenMs({ takenAt }: StoredSnapshot): number {
  return Date.parse(takenAt ?? "");
}

function notSaved(message: string): Action {
  return { kind: "fail", reason: "NotSaved", message, shows: "Saved" };
}
