import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

// A program: the most of each .cpuprofile that it is given, by file and by function.

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { functionName: string; url: string } }[];
  readonly samples: readonly number[];
  /** In microseconds, one for each sample. */
  readonly timeDeltas: readonly number[];
}

const MOST = 30;

for (const file of process.argv.slice(2)) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [byFile, byFunction] = [new Map<string, number>(), new Map<string, number>()];
  let [busyMs, passedMs] = [0, 0];
  samples.forEach((id, at) => {
    const ms = (timeDeltas[at] ?? 0) / 1000;
    const { functionName, url } = frames.get(id) ?? { functionName: "(unknown)", url: "" };
    passedMs += ms;
    if (functionName === "(idle)") return;
    busyMs += ms;
    const source = url.startsWith("file:") ? relative(".", fileURLToPath(url)) : url;
    add(byFile, source || functionName, ms);
    add(byFunction, `${functionName || "(anonymous)"}  ${source}`.trim(), ms);
  });
  process.stdout.write(`${file}: busy for ${busyMs.toFixed(0)} of ${passedMs.toFixed(0)} ms\n`);
  for (const [title, sums] of Object.entries({ file: byFile, function: byFunction }))
    process.stdout.write(` by ${title}\n${lines(sums, busyMs)}\n`);
}

function add(sums: Map<string, number>, what: string, ms: number): void {
  sums.set(what, (sums.get(what) ?? 0) + ms);
}

function lines(sums: ReadonlyMap<string, number>, allMs: number): string {
  const most = [...sums].sort(([, a], [, b]) => b - a).slice(0, MOST);
  const line = ([what, ms]: readonly [string, number]) =>
    `  ${((100 * ms) / allMs).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${what}`;
  return most.map(line).join("\n");
}
