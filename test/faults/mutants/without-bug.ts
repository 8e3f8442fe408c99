import type { Plan } from "../plan.ts";

/** What a plan has to say about the operator as it is: nothing, or it would prove nothing about one with a bug. */
export async function withoutBug(plan: Plan, signal: AbortSignal): Promise<readonly string[]> {
  // Later than all else: the list has this suite on it, too.
  const { suites } = await import("../suites.ts");
  const entry = suites.find(({ name, place }) => name === plan.suite && place === "in-process");
  if (!entry) return [`there is no suite ${plan.suite} on virtual time`];
  const suite = await entry.load();
  const failures: string[] = [];
  await suite.run([plan], (result) => failures.push(...result.failures), signal);
  return failures;
}
