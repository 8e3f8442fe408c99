import type { Plan, Suite } from "../plan.ts";

/** Those that need no local mode; only what is needed is loaded. */
const SUITES: Readonly<Record<string, () => Promise<Suite>>> = {
  writes: async () => (await import("../writes/writes-suite.ts")).writesSuite,
  views: async () => (await import("../views/views-suite.ts")).viewsSuite,
  lineages: async () => (await import("../lineages/lineages-suite.ts")).lineagesSuite,
  clocks: async () => (await import("../clocks/clocks-suite.ts")).clocksSuite,
  fields: async () => (await import("../fields/fields-suite.ts")).fieldsSuite,
  admission: async () => (await import("../admission/admission-suite.ts")).admissionSuite,
  hands: async () => (await import("../hands/hands-suite.ts")).handsSuite,
  liars: async () => (await import("../liars/suite.ts")).liarsSuite,
};

/** What a plan has to say about the operator as it is: nothing, or it would prove nothing about one with a bug. */
export async function withoutBug(plan: Plan, signal: AbortSignal): Promise<readonly string[]> {
  const suite = await SUITES[plan.suite]?.();
  if (!suite) return [`there is no suite ${plan.suite} without a local mode`];
  const failures: string[] = [];
  await suite.run([plan], (result) => failures.push(...result.failures), signal);
  return failures;
}
