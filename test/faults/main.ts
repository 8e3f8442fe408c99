import { parseArgs } from "node:util";
import { summary } from "./run/report.ts";
import { writeResults } from "./run/results-file.ts";
import { type Asked, runFaults } from "./run/run-faults.ts";
import { UnknownNameError } from "./run/selection.ts";
import { suites } from "./suites.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    suite: { type: "string", default: "" },
    only: { type: "string", default: "" },
    extent: { type: "string", default: "full" },
    /** Minutes after which all ends. */
    limit: { type: "string", default: "60" },
  },
});

const interrupted = new AbortController();
// A second one must not cut the cleaning short.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => interrupted.abort());

process.exitCode = await main({
  seed: Number(values.seed),
  suite: values.suite,
  only: values.only,
  extent: values.extent === "quick" ? "quick" : "full",
  limitMs: Number(values.limit) * 60_000,
});

async function main(asked: Asked): Promise<number> {
  if (!Number.isSafeInteger(asked.seed)) return refuse(`SEED: "${values.seed}" is not a whole number`);
  if (!(asked.limitMs > 0)) return refuse(`LIMIT: "${values.limit}" is not a number of minutes`);
  try {
    const list = { suites, module: new URL("./suites.ts", import.meta.url) };
    const finished = await runFaults(asked, { list, out: process.stdout, signal: interrupted.signal });
    const file = await writeResults("test/faults/results", asked, finished);
    process.stdout.write(`${summary(finished, asked.seed, file)}\n`);
    if (finished.isInterrupted) return 130;
    const { results, failures } = finished.score;
    return results.length > 0 && failures === 0 ? 0 : 1;
  } catch (error) {
    if (error instanceof UnknownNameError) return refuse(error.message);
    throw error;
  }
}

function refuse(message: string): number {
  process.stderr.write(`make faults: ${message}\n`);
  return 2;
}
