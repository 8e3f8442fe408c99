import type { PlanResult } from "../plan.ts";
import { act } from "./acts.ts";
import { endChecks } from "./end-checks.ts";
import { type Attempt, playedInTime } from "./in-time.ts";
import type { AmnesiaPlan } from "./plan.ts";
import { Stage } from "./stage.ts";
import type { Step } from "./step.ts";
import { tellOf } from "./tell.ts";
import type { AmnesiaWorld } from "./world.ts";

const SETTLE_MS = 90_000;
const FIRST_WRITES = 30;

/** Plays one plan in a namespace of its own, and reports what was not as it must be. */
export function runAmnesiaPlan(plan: AmnesiaPlan, world: AmnesiaWorld): Promise<PlanResult> {
  return playedInTime((attempt) => play(new Stage(world, plan, attempt)));
}

async function play(stage: Stage): Promise<Attempt> {
  const { plan, world } = stage;
  const failures: string[] = [];
  const notes: string[] = [];
  let convergenceMs = 0;
  try {
    await stage.open();
    await begin(stage);
    await playSteps(stage);
    const began = performance.now();
    await becomeWell(stage);
    convergenceMs = Math.round(performance.now() - began);
    failures.push(...(await endChecks(stage)));
  } catch (error) {
    failures.push(messageWithCause(error));
  }
  const end = world.operatorEnd();
  if (end !== undefined) failures.push(`the operator ended (${end})`);
  failures.push(...(await world.loops.in(...stage.namespaces)));
  if (stage.witness) notes.push(stage.witness.describe());
  notes.push(...world.starts.guards(stage.namespace));
  if (failures.length > 0) notes.push(await tellOf(stage));
  await stage.close().catch((error: unknown) => failures.push(messageWithCause(error)));
  const result = { plan, failures, convergenceMs, writeGapMs: stage.writeGapMs, notes };
  return { result, isTooLate: stage.isTooLate };
}

async function begin(stage: Stage): Promise<void> {
  if (stage.plan.beginsAtOnce) return;
  await stage.cluster.settled(stage.plan.size, SETTLE_MS);
  const witness = await stage.startWitness("first");
  await witness.writesAgain(FIRST_WRITES);
  await stage.castAll();
}

async function playSteps(stage: Stage): Promise<void> {
  for (const [index, step] of stage.plan.steps.entries()) {
    if (stage.isTooLate) return;
    await act(stage, step).catch((error: unknown) => {
      throw new Error(`step ${index + 1}, ${toldStep(step)}: ${messageWithCause(error)}`, { cause: error });
    });
  }
}

/** All is as the spec says, by its own word and in truth, and clients can write. */
async function becomeWell(stage: Stage): Promise<void> {
  const { plan, cluster } = stage;
  const { size = plan.size, replaced = [] } = plan.expect;
  if (replaced.length > 0)
    await cluster.areRemoved(
      replaced.map((role) => stage.actor(role).pod),
      SETTLE_MS,
    );
  await cluster.settled(size, SETTLE_MS);
  const witness = stage.witness ?? (await stage.startWitness("late"));
  await witness.writesAgain(FIRST_WRITES);
  // A member that started with less than it had dies at the next message of its leader, after it was healthy for a
  // moment.
  await cluster.settled(size, SETTLE_MS);
}

function toldStep({ do: what, ...more }: Step): string {
  return `${what} ${JSON.stringify(more)}`;
}

function messageWithCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && !error.message.includes(error.cause.message)
    ? `${error.message} (${error.cause.message})`
    : error.message;
}
