import { setTimeout as pause } from "node:timers/promises";
import type { Cleanup } from "../cleanup.ts";
import { ByOperator } from "../cluster/by-operator.ts";
import { Stage } from "../cluster/stage.ts";
import { START_NAMES } from "../start/operator-start.ts";
import { RecordedOperator } from "./recorded-operator.ts";

const IDLE_MS = 20_000;

/** Records the start of the operator, or its rest with one cluster, as a figure of the suite `start` asks for it. */
export async function profileStart(figure: string, cleanup: Cleanup): Promise<void> {
  const stage = await Stage.set(cleanup);
  const isStart = figure === START_NAMES.watching;
  const recorded = await RecordedOperator.start(stage, cleanup, { fromStart: isStart });
  if (isStart) return recorded.end(figure);
  await new ByOperator(stage.world, { bootstrap: "Parallel", claims: false, size: 3 }, "profiled").create();
  await recorded.record(figure, () => pause(IDLE_MS));
}
