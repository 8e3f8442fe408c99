import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figure.ts";
import { measureFleet } from "./fleet.ts";
import { lifeFigures } from "./life-figures.ts";
import { measureLives, warmUp } from "./race.ts";
import { Stage } from "./stage.ts";

/** The operator beside the same work by hand, and what it promises on its own. */
export async function measureClusters(cleanup: Cleanup): Promise<readonly Figure[]> {
  const stage = await Stage.set(cleanup);
  await (await stage.startOperator()).watchingMs();
  await warmUp(stage);
  const lives = lifeFigures(await measureLives(stage));
  return [...lives, ...(await measureFleet(stage, cleanup))];
}
