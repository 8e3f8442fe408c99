import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { withSetAside } from "../observe/set-aside-seen.ts";
import { DONE, postponed } from "./postponed.ts";
import type { Work } from "./work.ts";

type TurnRestore = Extract<Step, { kind: "turn-restore" }>;

/** The status that follows says it. Before the old members may run again, a live look: nothing of the restored cluster is left. */
export async function turnRestore({ seen: { cluster }, live }: Work, { to }: TurnRestore): Promise<ActionOutcome> {
  if (to !== "RolledBack") return DONE;
  const pods = await live.labelled(resources.pods);
  const own = pods.filter((pod) => isOwnedBy(pod, cluster.metadata.uid));
  const [left] = withSetAside(cluster, own, []).current.pods;
  return left ? postponed(`Pod ${left.metadata.name} of the restored cluster is still there`, 1_000) : DONE;
}
