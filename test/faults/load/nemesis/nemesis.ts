import { setTimeout as pause } from "node:timers/promises";
import type { Stage } from "../stage.ts";
import { scheduleOf } from "./schedule.ts";
import type { Schedule, Timed } from "./step.ts";
import { perform } from "./tasks.ts";
import { trouble } from "./troubles.ts";

/** Puts a cluster through what its plan says, for as long as that says; what was begun is brought to its end. */
export async function torment(stage: Stage, signal: AbortSignal): Promise<void> {
  const { tasks, troubles, outages } = scheduleOf(stage.plan);
  const end = new AbortController();
  const over = end.signal;
  const tracks = [
    goThrough(stage, "tasks", tasks, over, (task) => perform(stage, task, over)),
    goThrough(stage, "troubles", troubles, over, (step) => stage.inTurn(() => trouble(stage, step, over))),
    goThrough(stage, "outages", outages, over, (outage) => stage.world.suffer(outage, over)),
  ];
  // Also where a plan has nothing to do, its clients have their time.
  await rested(stage.plan.forMs, signal);
  end.abort();
  await Promise.all(tracks);
}

async function goThrough<Step extends { readonly do: string }>(
  stage: Stage,
  of: keyof Schedule,
  steps: readonly Timed<Step>[],
  signal: AbortSignal,
  act: (step: Timed<Step>) => Promise<void>,
): Promise<void> {
  for (const step of steps) {
    await rested(step.restMs, signal);
    if (signal.aborted) return;
    const { restMs: _, ...what } = step;
    stage.note(JSON.stringify(what));
    // Its target may be gone, or there is no leader: then it is the next one's turn.
    const hasWorked = await act(step).then(
      () => true,
      (error: Error) => {
        stage.note(`${JSON.stringify(what)} failed: ${error.message}`);
        return false;
      },
    );
    stage.attempts.push({ of, step: step.do, hasWorked });
  }
}

async function rested(forMs: number, signal: AbortSignal): Promise<void> {
  await pause(forMs, undefined, { signal }).catch(() => undefined);
}
