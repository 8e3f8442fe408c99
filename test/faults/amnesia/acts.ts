import { diskActs } from "./acts/disk-acts.ts";
import { objectActs } from "./acts/object-acts.ts";
import { podActs } from "./acts/pod-acts.ts";
import { restoreActs } from "./acts/restore-acts.ts";
import { waitingActs } from "./acts/waiting-acts.ts";
import type { Stage } from "./stage.ts";
import type { Step } from "./step.ts";

/** The step of a kind; some kinds share a shape. */
export type StepOf<Kind extends Step["do"], S = Step> = S extends { readonly do: infer Kinds }
  ? Kind extends Kinds
    ? S
    : never
  : never;

/** What some kinds of steps do. */
export type Acts<Kinds extends Step["do"]> = {
  readonly [Kind in Kinds]: (stage: Stage, step: StepOf<Kind>) => Promise<unknown>;
};

const acts: Acts<Step["do"]> = { ...podActs, ...diskActs, ...objectActs, ...restoreActs, ...waitingActs };

export async function act(stage: Stage, step: Step): Promise<void> {
  const does = acts[step.do] as (stage: Stage, step: Step) => Promise<unknown>;
  await does(stage, step);
}
