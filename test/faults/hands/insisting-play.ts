import { isDeepStrictEqual } from "node:util";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stage } from "../workloads/stage.ts";
import { untilAtRest } from "../workloads/until-at-rest.ts";
import { NAMESPACE } from "../world/world.ts";
import { editObject } from "./edit-object.ts";
import { atRest } from "./field-play.ts";
import { onGround } from "./ground.ts";
import { type Owned, ofCluster } from "./owned.ts";
import { type Path, valueAt } from "./path.ts";

/** Another program that will not have it as the operator does, for a while: it undoes every correction at once. */
export interface InsistingPlay {
  readonly name: string;
  readonly owned: Owned;
  /** What it insists on; without, it deletes the object. */
  readonly edit?: { readonly path: Path; readonly value: unknown };
}

const FOR_MS = 120_000;
const SIZE = 3;
const PACE_MS = 100;

export const insistingPlays: readonly InsistingPlay[] = [
  insistsOn("client-service", ["spec", "publishNotReadyAddresses"], true),
  insistsOn("client-service", ["metadata", "labels", "app"], "by-hand"),
  insistsOn("peer-service", ["spec", "selector"], { team: "by-hand" }),
  insistsOn("budget", ["spec", "minAvailable"], 0),
  insistsOn("cluster", ["status", "phase"], "Failed"),
  { name: "client-service-deleted/again-and-again", owned: ownedAs("client-service") },
  { name: "budget-deleted/again-and-again", owned: ownedAs("budget") },
];

export async function playInsisting({ owned, edit }: InsistingPlay, seed: number) {
  return onGround(seed, async (ground) => {
    await atRest(ground);
    const { stage, writes } = ground;
    const startedMs = stage.time.elapsedMs;
    let [times, isPodLost] = [0, false];
    while (stage.time.elapsedMs - startedMs < FOR_MS) {
      if (!isPodLost && stage.time.elapsedMs - startedMs >= FOR_MS / 2) {
        await stage.losePod(0);
        isPodLost = true;
      }
      const object = owned.find(stage);
      const isUndone = object && (!edit || !isDeepStrictEqual(valueAt(object, edit.path), edit.value));
      if (isUndone && edit) await editObject(stage, owned.resource, object, edit);
      else if (isUndone) await stage.user.delete(owned.resource, { namespace: NAMESPACE, name: object.metadata.name });
      times += isUndone ? 1 : 0;
      await stage.time.pass(PACE_MS);
    }
    const meanwhile = lacksPods(stage);
    const rest = await untilAtRest(stage.time, { sent: () => writes.sent, missing: () => stage.unsettled() });
    const is = edit && valueAt(owned.find(stage), edit.path);
    return {
      failures: [
        ...(times < 2 ? ["never happened: what it insists on was put right only once"] : []),
        ...meanwhile,
        ...rest.missing,
        ...(edit && isDeepStrictEqual(is, edit.value) ? [`it is still ${JSON.stringify(is)}`] : []),
        ...(await ground.harm()),
        ...(rest.missing.length > 0 ? [] : ground.left()),
      ],
      convergenceMs: rest.lastMs - startedMs - FOR_MS,
      notes: [`put right ${times} times`],
    };
  });
}

/** Whatever is undone, a lost pod comes back. */
function lacksPods({ memberPods }: Stage): readonly string[] {
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some((each) => each.type === "Ready" && each.status === "True");
  const ready = memberPods.filter(isReady).length;
  return ready < SIZE ? [`meanwhile ${ready} of ${SIZE} pods were ready`] : [];
}

function insistsOn(owned: string, path: Path, value: unknown): InsistingPlay {
  return { name: `${owned}-${path.at(-1)}/again-and-again`, owned: ownedAs(owned), edit: { path, value } };
}

function ownedAs(name: string): Owned {
  const owned = ofCluster.find((each) => each.name === name);
  if (!owned) throw new Error(`the operator owns no ${name}`);
  return owned;
}
