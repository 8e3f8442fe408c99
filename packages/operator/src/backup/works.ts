import type { DrillAbout, DrillOutcome, RunAbout, RunOutcome, RunProgress } from "./observation.ts";
import type { Runs, Work } from "./runs.ts";

/** The backups that this process is taking. */
export type BackupRuns = Runs<RunAbout, RunOutcome, RunProgress>;
export type BackupWork = Work<RunOutcome, RunProgress>;

/** The drills that it carries out. */
export type DrillRuns = Runs<DrillAbout, DrillOutcome>;
export type DrillWork = Work<DrillOutcome, never>;
