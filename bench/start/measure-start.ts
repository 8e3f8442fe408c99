import type { Cleanup } from "../cleanup.ts";
import { Stage } from "../cluster/stage.ts";
import type { Figure } from "../figure.ts";
import { measureBundle } from "./bundle.ts";
import { measureOperatorStart } from "./operator-start.ts";
import { measurePrograms } from "./programs.ts";

/** How soon our programs answer, how soon the operator watches, and how large it is. */
export async function measureStart(cleanup: Cleanup): Promise<readonly Figure[]> {
  const programs = measurePrograms();
  const started = await measureOperatorStart(await Stage.set(cleanup));
  return [...programs, ...started, measureBundle()];
}
