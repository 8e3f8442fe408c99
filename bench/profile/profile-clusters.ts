import { setTimeout as pause } from "node:timers/promises";
import type { Cleanup } from "../cleanup.ts";
import { ByOperator } from "../cluster/by-operator.ts";
import { IDLE_SETTLE_MS } from "../cluster/idle.ts";
import { type Life, lives, type Step } from "../cluster/lives.ts";
import { Stage } from "../cluster/stage.ts";
import { tenByOperator, tenClustersName } from "../cluster/ten-clusters.ts";
import { RecordedOperator } from "./recorded-operator.ts";

const IDLE_MS = 30_000;

/** Does what a figure of the suite `cluster` is about once more, with nobody but the operator, and records that. */
export async function profileClusters(figure: string, cleanup: Cleanup): Promise<void> {
  const stage = await Stage.set(cleanup);
  const recorded = await RecordedOperator.start(stage, cleanup);
  const found = stepOf(figure);
  if (found) await profileStep(figure, found, stage, recorded);
  else await profileTen(figure, stage, recorded);
}

interface Found {
  readonly life: Life;
  readonly step: Step;
}

/** The step that a figure is about: what it is called, with more behind it or not. */
export function stepOf(figure: string): Found | undefined {
  const all = lives.flatMap((life) => life.steps.map((step) => ({ life, step })));
  return all.find(({ step: { name } }) => figure === `cluster: ${name}` || figure.startsWith(`cluster: ${name}:`));
}

async function profileStep(figure: string, found: Found, stage: Stage, recorded: RecordedOperator): Promise<void> {
  const { life, step } = found;
  const contestant = new ByOperator(stage.world, life.kind, "profiled");
  for (const each of life.steps) {
    if (each !== life.steps[0]) await contestant.cluster.restedFor(life.kind);
    const act = () => each.act(contestant, stage);
    if (each === step) return recorded.record(figure, act);
    await act();
  }
}

/** Ten clusters: how they are made, or what they cost once they are. */
async function profileTen(figure: string, stage: Stage, recorded: RecordedOperator): Promise<void> {
  const bootstrap = figure === tenClustersName("Sequential") ? "Sequential" : "Parallel";
  const operators = tenByOperator(stage, bootstrap);
  const create = () => Promise.all(operators.map((operator) => operator.create()));
  if (figure === tenClustersName(bootstrap)) return recorded.record(figure, create);
  await create();
  await pause(IDLE_SETTLE_MS);
  return recorded.record(figure, () => pause(IDLE_MS));
}
