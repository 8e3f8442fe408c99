import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePorts } from "../../../src/local/processes/free-ports.ts";
import { Cleanup } from "../../cleanup.ts";
import { changes } from "../changes.ts";
import { restart } from "../restart.ts";
import { Stage } from "../stage.ts";
import { type CpuProfile, cpuSummary, linesOf } from "./cpu-summary.ts";
import { type HeapSnapshot, heapGraph } from "./heap-graph.ts";
import { heapSummary } from "./heap-summary.ts";
import { Inspector } from "./inspector.ts";
import { mappedBuild, sourcesOf } from "./mapped-build.ts";

// A program: where the operator's time goes with so many clusters (with certificates if "tls" follows the number), while it starts, while it is idle and while some of them change, and what
// its memory is made of.

const clusters = Number(process.argv[2] ?? 1_000);
const isTls = process.argv[3] === "tls";
const IDLE_MS = 60_000;
const CHANGE_SECONDS = 15;
const RESULTS = "bench/results/profile";
const MEGA = 2 ** 20;

const cleanup = new Cleanup();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void cleanup.run().finally(() => process.exit(130)));
}
try {
  await profile();
} finally {
  await cleanup.run();
}

async function profile(): Promise<void> {
  const outdir = join(RESULTS, "operator");
  // Of an earlier run.
  await rm(outdir, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const program = await mappedBuild(outdir);
  const stage = await Stage.set({ program, isTls }, cleanup);
  await stage.growTo(clusters);
  const [port = 0] = await freePorts(1);
  const starting = restart(stage, [`--inspect-brk=127.0.0.1:${port}`]);
  const inspector = await cleanup.use(Inspector.open(port), async (opened) => opened.close());
  await inspector.ask("Profiler.enable");
  await inspector.ask("Profiler.start");
  await inspector.ask("Runtime.runIfWaitingForDebugger");
  const { operator, reconciledMs } = await starting;
  await tell(`start to reconciled, ${clusters} clusters, ${reconciledMs} ms`, "start", inspector);
  await pause(3_000);
  await inspector.ask("Profiler.start");
  await pause(IDLE_MS);
  await tell(`idle, ${clusters} clusters`, "idle", inspector);
  await inspector.ask("Profiler.start");
  await changes(stage, operator, CHANGE_SECONDS);
  await tell(`while 1 % of ${clusters} clusters change each second`, "changes", inspector);
  await tellMemory(inspector, await operator.residentMib());
  await operator.stop();
}

async function tell(title: string, name: string, inspector: Inspector): Promise<void> {
  const { profile: found } = await inspector.ask<{ profile: CpuProfile }>("Profiler.stop");
  await writeFile(join(RESULTS, `${name}.cpuprofile`), JSON.stringify(found));
  process.stdout.write(`${linesOf(title, cpuSummary(found, sourcesOf(join(RESULTS, "operator"))))}\n\n`);
}

async function tellMemory(inspector: Inspector, residentMib: number): Promise<void> {
  const expression = "JSON.stringify(process.memoryUsage())";
  const usage = await inspector.ask<{ result: { value: string } }>("Runtime.evaluate", { expression });
  process.stdout.write(`memory: ${residentMib.toFixed(0)} MiB resident; ${usage.result.value}\n`);
  const chunks: string[] = [];
  inspector.on("HeapProfiler.addHeapSnapshotChunk", (params) => chunks.push((params as { chunk: string }).chunk));
  await inspector.ask("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  const text = chunks.join("");
  await writeFile(join(RESULTS, "idle.heapsnapshot"), text);
  const shares = heapSummary(heapGraph(JSON.parse(text) as HeapSnapshot));
  for (const { name, count, selfBytes, retainedBytes } of shares.slice(0, 60)) {
    const [retained, self] = [retainedBytes, selfBytes].map((bytes) => (bytes / MEGA).toFixed(1).padStart(7));
    process.stdout.write(
      `  keeps ${retained} MiB, is ${self} MiB, ${String(count).padStart(8)} × ${name.slice(0, 80)}\n`,
    );
  }
}
