import { failuresOf } from "../checks/judge.ts";
import { runWorkload } from "../workloads/run-workload.ts";
import type { Workload } from "../workloads/workload.ts";
import { calmRun } from "./calm-run.ts";
import type { ComesUp } from "./comes-up.ts";
import { concernsOf, type ObjectsName } from "./objects.ts";
import { eventsOf, toldAbout } from "./told.ts";
import type { ViewMaker } from "./view-kinds.ts";
import { ViewUnderTest } from "./view-under-test.ts";

/** A workload, and how it is seen. */
export interface Play {
  readonly name: string;
  /** The row of the table. */
  readonly row: string;
  readonly objects: ObjectsName;
  /** Whether the view is wrong at all in this workload; where it is absent, that needs no run to find out. */
  readonly comesUp?: ComesUp | undefined;
  /** The workload as it is where nothing is wrong. */
  readonly calm: Workload;
  /** The same, with a view that may have a say in it. */
  begin(): { readonly workload: Workload; readonly kind: ViewMaker };
}

/** Whether there is anything of those objects that would be seen wrongly. */
export async function isAboutSomething({ calm, objects, comesUp }: Play, seed: number): Promise<boolean> {
  if (!comesUp) return true;
  return comesUp(toldAbout((await calmRun(calm, seed)).told, concernsOf(objects)));
}

/** Plays it, and says what was not as it should be. */
export async function played(
  play: Play,
  seed: number,
): Promise<{ failures: readonly string[]; convergenceMs: number }> {
  const calm = await calmRun(play.calm, seed);
  const { missing } = calm.outcome;
  if (missing.length > 0) throw new Error(`not even where nothing is wrong is it done: ${missing.join(", ")}`);
  const { workload, kind } = play.begin();
  const { objects } = play;
  const events = eventsOf(toldAbout(calm.told, concernsOf(objects))).length;
  const seen = new ViewUnderTest({ kind, objects, seed, events });
  const outcome = await runWorkload(seen.around(workload), { seed, view: seen.view });
  return { failures: [...seen.unmet, ...failuresOf(calm.outcome, outcome)], convergenceMs: outcome.convergenceMs };
}
