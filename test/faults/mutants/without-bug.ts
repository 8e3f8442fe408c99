import { fieldsSuite } from "../fields/fields-suite.ts";
import type { Plan, Suite } from "../plan.ts";
import { viewsSuite } from "../views/views-suite.ts";
import { writesSuite } from "../writes/writes-suite.ts";

const SUITES: readonly Suite[] = [writesSuite, viewsSuite, fieldsSuite];

/** What a plan has to say about the operator as it is: nothing, or it would prove nothing about one with a bug. */
export async function withoutBug(plan: Plan, signal: AbortSignal): Promise<readonly string[]> {
  const suite = SUITES.find(({ name }) => name === plan.suite);
  if (!suite) return [`there is no suite ${plan.suite} on virtual time`];
  const failures: string[] = [];
  await suite.run([plan], (result) => failures.push(...result.failures), signal);
  return failures;
}
