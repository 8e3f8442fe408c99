import { type PlanResult, repeatCommand } from "../plan.ts";
import { innerPlan } from "./inner-plan.ts";
import type { Mutant } from "./mutant.ts";

const SHOWN = 3;

/** What keeps a mutant from counting as caught: each of its plans has to fail, and to say what is wrong. */
export function notCaught({ caughtBy, failsWith }: Mutant, results: readonly PlanResult[]): readonly string[] {
  return caughtBy.flatMap((name) => {
    const plan = innerPlan(name);
    const result = results.find((each) => each.plan.suite === plan.suite && each.plan.name === plan.name);
    if (!result) return [`${name} told no result`];
    if (result.failures.length === 0) return [`${name} does not find it`];
    if (result.failures.some((failure) => failsWith.test(failure))) return [];
    return [
      `${name} fails, but not with ${failsWith}: ${result.failures.slice(0, SHOWN).join("; ")}`,
      `to see whether it fails without the bug, too: ${repeatCommand(plan)}`,
    ];
  });
}
