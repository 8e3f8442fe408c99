import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inJson } from "./report.ts";
import type { Finished } from "./score.ts";
import type { Selection } from "./selection.ts";

type Request = Selection & { readonly seed: number };

/** Keeps what a run came to as JSON, in a file that the next of the same kind and seed replaces; gives its name. */
export async function writeResults(folder: string, asked: Request, finished: Finished): Promise<string> {
  const { planned, score, tookMs, isInterrupted } = finished;
  const file = join(folder, fileName(asked));
  const kept = {
    seed: asked.seed,
    tookMs,
    isInterrupted,
    plans: score.results.length,
    failures: score.failures,
    suites: planned.map(({ entry, plans }) => ({ suite: entry.name, place: entry.place, plans: plans.length })),
    troubles: score.troubles,
    results: score.results,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(file, `${inJson(kept, 1)}\n`);
  return file;
}

/** One that says what was asked for, so that a single plan does not replace all. */
function fileName({ seed, suite, only }: Request): string {
  const asked = [suite, only].filter(Boolean).join("-") || "all";
  return `${asked.replaceAll(/[^\w.-]+/g, "-").slice(0, 100)}-seed-${seed}.json`;
}
