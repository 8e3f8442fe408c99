import type { Plan } from "../plan.ts";

/** What keeps plans from being distinguished and repeated by the command that their failure prints. */
export function faultsIn(plans: readonly Plan[], suite: string, seed: number): readonly string[] {
  const names = new Set<string>();
  const faults = plans.flatMap((plan) => {
    const isTwice = names.has(plan.name);
    names.add(plan.name);
    return [
      isTwice && `two plans are called ${plan.name}`,
      plan.suite !== suite && `${plan.name} says that it is of ${plan.suite}, not of ${suite}`,
      plan.seed !== seed && `${plan.name} has the seed ${plan.seed}; with that SEED= it would not be found again`,
    ].filter((fault) => fault !== false);
  });
  return plans.length === 0 ? ["it has no plans"] : faults.slice(0, 5);
}
