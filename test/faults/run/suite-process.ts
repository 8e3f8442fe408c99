import { enableCompileCache } from "node:module";
import type { Suite } from "../plan.ts";
import { GRACE_MS } from "./limits.ts";
import type { Order, Stop, Word } from "./messages.ts";
import { faultsIn } from "./sound-plans.ts";
import type { SuiteEntry, SuiteList } from "./suite-entry.ts";

// A program: the process of its own in which a suite is planned, or a part of it run. Suites replace the timers of
// their process.

// There are many of these processes, and all of them load the same sources.
enableCompileCache();

const stopping = new AbortController();
const [module = ""] = process.argv.slice(2);
// As it is before a suite replaces it.
const endLater = setTimeout;
let graceMs = 0;

process.on("message", (message: Order | Stop) => {
  if (message.do === "stop") stopping.abort(new Error("the run was stopped"));
  else void obey(message);
});
// The process that started this one is gone; what was started here must not stay.
process.on("disconnect", () => {
  stopping.abort(new Error("the run is gone"));
  endLater(() => process.exit(1), graceMs);
});
// Ctrl-C reaches every process of the terminal; the process that started this one decides.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

async function obey(order: Order): Promise<void> {
  try {
    const entry = await entryOf(order.suite);
    graceMs = GRACE_MS[entry.place];
    if (order.do === "plan") await plan(entry, order);
    else await run(entry, order);
    await say({ kind: "end" });
  } catch (error) {
    await say({ kind: "end", error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
  process.exit();
}

async function plan(entry: SuiteEntry, { seed, extent, only }: Order & { do: "plan" }): Promise<void> {
  const lack = await entry.lack?.();
  if (lack !== undefined) return say({ kind: "lack", what: lack });
  const plans = await (await loaded(entry)).plans(seed, extent, only);
  const faults = faultsIn(plans, entry.name, seed);
  if (faults.length > 0) throw new Error(faults.join("; "));
  await say({ kind: "plans", plans });
}

async function run(entry: SuiteEntry, { plans }: Order & { do: "run" }): Promise<void> {
  const suite = await loaded(entry);
  if (stopping.signal.aborted) return;
  await say({ kind: "begins" });
  await suite.run(plans, (result) => void say({ kind: "result", result }), stopping.signal);
}

async function loaded(entry: SuiteEntry): Promise<Suite> {
  const suite = await entry.load();
  if (suite.name === entry.name && suite.place === entry.place) return suite;
  throw new Error(`the list calls it ${entry.name}, ${entry.place}; it calls itself ${suite.name}, ${suite.place}`);
}

async function entryOf(name: string): Promise<SuiteEntry> {
  const { suites } = (await import(module)) as Pick<SuiteList, "suites">;
  const entry = suites.find((each) => each.name === name);
  if (!entry) throw new Error(`${module} has no suite ${name}`);
  return entry;
}

function say(word: Word): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(word, undefined, undefined, () => resolve());
    else resolve();
  });
}
