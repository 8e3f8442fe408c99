import type { DrillAbout, DrillSeen, RunAbout, RunSeen } from "./observation.ts";
import type { BackupReason } from "./reasons.ts";

/** One step, and why: the reason and the message become the condition and the log line. */
export type Action = Because & Step;

interface Because {
  readonly reason: BackupReason;
  readonly message: string;
}

export type Step =
  /** Nothing to do: the restore has finished. */
  | { readonly kind: "none" }
  /** Nothing may or can be done now; a watch event, the end of a run or the time named wakes us. */
  | { readonly kind: "hold"; readonly recheckAfterMs?: number }
  /** Status only: what was planned could not be done. */
  | { readonly kind: "obstructed" }
  | { readonly kind: "add-finalizer" }
  | { readonly kind: "remove-finalizer" }
  | { readonly kind: "start-run"; readonly about: RunAbout }
  /** Cancels a run, or forgets one that has ended, without reporting it in the status. */
  | { readonly kind: "drop-run" }
  /** Status only: what came of a run, which is forgotten then. */
  | { readonly kind: "record-run"; readonly run: EndedRun }
  | { readonly kind: "start-drill"; readonly about: DrillAbout }
  | { readonly kind: "drop-drill" }
  /** Removes what is left of one that another process began. */
  | { readonly kind: "clear-drill" }
  | { readonly kind: "record-drill"; readonly drill: EndedDrill };

export interface EndedRun extends RunSeen {
  readonly state: Extract<RunSeen["state"], { kind: "ended" }>;
}

export interface EndedDrill extends DrillSeen {
  readonly state: Extract<DrillSeen["state"], { kind: "ended" }>;
}
