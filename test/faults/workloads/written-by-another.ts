import type { Writes } from "../transport/writes.ts";
import type { VirtualTime } from "../world/virtual-time.ts";
import type { World } from "../world/world.ts";

/** Long enough to take over, and to reconcile everything. */
const TAKE_OVER_MS = 6_000;
/** Of clusters, backups and restores. */
const CONTROLLERS = 3;

/** The part of a world that is checked here. */
type Operated = Pick<World, "watching" | "crashOperator" | "showTruth">;

/**
 * Where all is done, an operator that knows nothing has nothing to do either; to each controller it is as good as any
 * number of resyncs. It gets the present objects: with an old view it would report the past.
 */
export async function writtenByAnother(
  world: Operated,
  time: Pick<VirtualTime, "pass">,
  writes: Pick<Writes, "sent">,
): Promise<readonly string[]> {
  const [before, watching] = [writes.sent.length, world.watching];
  world.showTruth();
  world.crashOperator();
  await time.pass(TAKE_OVER_MS);
  const written = writes.sent.slice(before);
  if (written.length > 0) return [`an operator that was started in the end wrote ${written.join(", ")}`];
  return world.watching - watching < CONTROLLERS ? ["an operator that was started in the end did not take over"] : [];
}
