import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { measureBackups } from "./backup/measure-backups.ts";
import { Cleanup } from "./cleanup.ts";
import { measureClusters } from "./cluster/measure-clusters.ts";
import { type Figure, table } from "./figure.ts";
import { measureLocalMode } from "./local-mode/measure-local-mode.ts";
import { repetitions } from "./repetitions.ts";
import { measureScale } from "./scale/measure-scale.ts";
import { measureStart } from "./start/measure-start.ts";

type Suite = (cleanup: Cleanup) => Promise<readonly Figure[]> | readonly Figure[];

const suites: Readonly<Record<string, Suite>> = {
  start: measureStart,
  "local-mode": measureLocalMode,
  cluster: measureClusters,
  backup: measureBackups,
  scale: measureScale,
};

/** What a quick run leaves out, unless it is named: neither is about how soon the operator acts. */
const UNHURRIED = ["local-mode", "backup"];
const isThorough = repetitions(1, 0) === 1;

const cleanup = new Cleanup();
let isInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // A second Ctrl-C must not cut the cleaning short.
  process.on(signal, () => {
    if (isInterrupted) return;
    isInterrupted = true;
    void cleanup.run().finally(() => process.exit(130));
  });
}

const found: Figure[] = [];
for (const [suite, measure] of Object.entries(suites)) {
  if (isInterrupted || !isWanted(suite)) continue;
  found.push(...(await measured(suite, measure)));
}
if (!isInterrupted) process.stdout.write(`${machine(new Date())}\n${table(found)}\n`);

function isWanted(suite: string): boolean {
  return process.env.SUITE ? process.env.SUITE === suite : isThorough || !UNHURRIED.includes(suite);
}

async function measured(name: string, measure: Suite): Promise<readonly Figure[]> {
  try {
    const startedAt = performance.now();
    process.stderr.write(`Measuring: ${name}\n`);
    const figures = await measure(cleanup);
    mkdirSync("bench/results", { recursive: true });
    writeFileSync(`bench/results/${name}.json`, `${JSON.stringify(figures, null, 2)}\n`);
    process.stderr.write(`Measured: ${name}, in ${Math.round((performance.now() - startedAt) / 1000)} s\n`);
    return figures;
  } catch (error) {
    // The other suites may still say something.
    complain(name, error);
    return [];
  } finally {
    await cleanup.run();
  }
}

function complain(what: string, error: unknown): void {
  if (!isInterrupted) process.stderr.write(`${what} failed: ${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}

/** When and on what was measured, for the head of a table. */
function machine(now: Date): string {
  const [{ model } = { model: "unknown" }, ...others] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  const day = now.toISOString().slice(0, 10);
  return `${day}, ${others.length + 1} cores (${model.trim()}), ${gib} GiB, Linux ${release()}, Node.js ${process.version.slice(1)}`;
}
