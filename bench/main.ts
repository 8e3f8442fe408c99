import { mkdirSync, writeFileSync } from "node:fs";
import { measureApiServers } from "./api-server/measure-api-servers.ts";
import { measureLoad } from "./api-server-load/measure-load.ts";
import { measureBackups } from "./backup/measure-backups.ts";
import { Cleanup } from "./cleanup.ts";
import { measureClusters } from "./cluster/measure-clusters.ts";
import { type Figure, table } from "./figure.ts";
import { measureLocalMode } from "./local-mode/measure-local-mode.ts";
import { measureStart } from "./start.ts";

type Suite = (cleanup: Cleanup) => Promise<readonly Figure[]> | readonly Figure[];

const suites: Readonly<Record<string, Suite>> = {
  start: measureStart,
  "local-mode": measureLocalMode,
  cluster: measureClusters,
  backup: measureBackups,
  "api-server": measureApiServers,
  "api-server-load": measureLoad,
};

const cleanup = new Cleanup();
let isInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // Ctrl-C arrives twice, from the terminal and from tsx: a second one must not cut the cleaning short.
  process.on(signal, () => {
    if (isInterrupted) return;
    isInterrupted = true;
    void cleanup.run().finally(() => process.exit(130));
  });
}

const figures: Figure[] = [];
for (const [name, measure] of Object.entries(suites)) {
  if (!isInterrupted && [name, undefined, ""].includes(process.env.SUITE))
    figures.push(...(await measured(name, measure)));
}
if (!isInterrupted) process.stdout.write(`${table(figures)}\n`);

async function measured(name: string, measure: Suite): Promise<readonly Figure[]> {
  try {
    process.stderr.write(`Measuring: ${name}\n`);
    const found = await measure(cleanup);
    mkdirSync("bench/results", { recursive: true });
    writeFileSync(`bench/results/${name}.json`, `${JSON.stringify(found, null, 2)}\n`);
    return found;
  } catch (error) {
    // The other suites may still say something.
    if (!isInterrupted) process.stderr.write(`${name} failed: ${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
    return [];
  } finally {
    await cleanup.run();
  }
}
