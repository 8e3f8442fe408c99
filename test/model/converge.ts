import { flawsOf, isExcused } from "./goal.ts";
import { before, brokenByAction, brokenInWorld } from "./invariants.ts";
import { carryOut, notesAfter, type Planner, think } from "./pass.ts";
import { calmDown } from "./quiet.ts";
import { signatureOf } from "./signature.ts";
import type { World } from "./world.ts";

/** How it ends when nothing disturbs the operator, and what it did on the way. */
export type End =
  | { readonly kind: "as-the-spec-says" | "nothing-to-be-done"; readonly log: readonly string[] }
  | { readonly kind: "failed"; readonly why: string; readonly log: readonly string[] };

export interface Quiet {
  /** Whether nodes that died come back; otherwise their pods stay as they are. */
  readonly nodesReturn: boolean;
  readonly planner?: Planner;
  /** Worlds that are known to end well, by signature; those on the way to a good end are added. */
  readonly known?: Set<string>;
}

const MOST_PASSES = 200;
/**
 * Reconciles without effect, one after another; the later ones are longer apart than anything the planner waits for.
 */
const MOST_IDLE_PASSES = 4;
const PATIENCE_MS = 400_000;

/** Lets the operator work undisturbed, until all is healthy or nothing more happens. */
export async function converge(world: World, quiet: Quiet): Promise<End> {
  const log: string[] = [];
  const signatures: string[] = [];
  let idlePasses = 0;
  for (let passes = 0; passes < MOST_PASSES; passes += 1) {
    calmDown(world, quiet.nodesReturn);
    if (quiet.known) signatures.push(signatureOf(world));
    if (quiet.known?.has(signatures.at(-1) ?? "")) return goodEnd("as-the-spec-says");
    const { action, sentence, isIdle, why } = await pass(world, quiet.planner);
    log.push(sentence);
    if (why) return { kind: "failed", why, log };
    if (action.kind === "none") return goodEnd("as-the-spec-says");
    idlePasses = isIdle ? idlePasses + 1 : 0;
    if (idlePasses > MOST_IDLE_PASSES / 2) world.nowMs += PATIENCE_MS;
    if (idlePasses <= MOST_IDLE_PASSES) continue;
    if (isExcused(world, action)) return goodEnd("nothing-to-be-done");
    return { kind: "failed", why: `held for ever (${action.reason})`, log };
  }
  return { kind: "failed", why: `no end after ${MOST_PASSES} passes`, log };

  function goodEnd(kind: "as-the-spec-says" | "nothing-to-be-done"): End {
    for (const signature of signatures) quiet.known?.add(signature);
    return { kind, log };
  }
}

/** One reconcile, and which invariant it broke. */
export async function pass(world: World, planner?: Planner) {
  const was = before(world);
  const thought = think(world, planner);
  const { action, seen } = thought;
  const outcome = await carryOut(world, thought, {}, { statusAfterwards: notesAfter });
  const what = `${outcome.kind}${"why" in outcome ? ` (${outcome.why})` : ""}`;
  const flaws = action.kind === "none" ? flawsOf(world) : [];
  const broken = [
    ...brokenByAction(world, was, action, seen),
    ...brokenInWorld(world),
    ...(flaws.length > 0 ? [`the planner is content, but ${flaws.join(", ")}`] : []),
  ];
  return {
    action,
    sentence: `${action.kind} (${action.reason}: ${action.message}) → ${what}`,
    isIdle: action.kind === "hold" || outcome.kind !== "done",
    why: broken[0],
  };
}
