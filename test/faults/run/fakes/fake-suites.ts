import { existsSync, writeFileSync } from "node:fs";
import type { Plan, PlanResult, Suite } from "../../plan.ts";
import type { SuiteEntry } from "../suite-entry.ts";

type Tell = (result: PlanResult) => void;

/** What a plan does, by its name up to the slash. */
const DEEDS: Readonly<Record<string, (plan: Plan, tell: Tell, signal: AbortSignal) => unknown>> = {
  passes: (plan, tell) => tell({ plan, failures: [], convergenceMs: 1500, writeGapMs: 200 }),
  fails: (plan, tell) => tell({ plan, failures: ["a pod is left"], convergenceMs: 61_000, notes: ["of a member"] }),
  throws: () => {
    throw new Error("thrown by the suite");
  },
  exits: () => {
    process.stderr.write("its last words\n");
    process.exit(3);
  },
  hangs: () => new Promise((resolve) => setInterval(resolve, 2 ** 30)),
  untold: () => undefined,
  "dies-once": (plan, tell) => {
    if (existsSync(markerFile())) return tell({ plan, failures: [] });
    writeFileSync(markerFile(), "");
    process.exit(4);
  },
  "cleans-up": async (_, __, signal) => {
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    writeFileSync(markerFile(), "cleaned up");
  },
};

/** Suites that behave in every way in which a suite can. */
export const suites: readonly SuiteEntry[] = [
  // Two at a time go to each process.
  fake("mixed", "in-process", [
    "throws/1",
    "passes/1",
    "exits/1",
    "passes/2",
    "hangs/1",
    "passes/3",
    "fails/1",
    "untold/1",
  ]),
  fake("well", "in-process", ["passes/1", "passes/12", "passes/2"]),
  fake("dead", "local-mode", ["exits/1", "passes/1"]),
  fake("sick", "local-mode", ["passes/1", "dies-once/1", "passes/2"]),
  fake("endless", "local-mode", ["passes/1", "cleans-up/1"]),
  { ...fake("broken", "in-process", []), load: () => Promise.reject(new Error("no such module")) },
  fake("twins", "in-process", ["passes/1", "passes/1"]),
  { ...fake("absent", "local-mode", ["exits/1"]), lack: async () => "no Go" },
];

/** Where fakes remember, as their processes cannot. */
export const MARKER = "FAKE_SUITES_MARKER";

function fake(name: string, place: Suite["place"], names: readonly string[]): SuiteEntry {
  const suite: Suite = {
    name,
    place,
    plans: async (seed) =>
      names.map((each) => ({ suite: name, name: each, seed, workload: each.slice(0, each.indexOf("/")) })),
    async run(plans, tell, signal) {
      for (const plan of plans) await DEEDS[plan.workload]?.(plan, tell, signal);
    },
  };
  return { name, place, minutes: 1, load: async () => suite };
}

function markerFile(): string {
  return process.env[MARKER] ?? "";
}
