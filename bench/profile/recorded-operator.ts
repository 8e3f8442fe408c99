import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import type { Cleanup } from "../cleanup.ts";
import type { Stage } from "../cluster/stage.ts";
import type { StartedOperator } from "../operator/started-operator.ts";
import { type CpuProfile, cpuSummary, linesOf } from "../scale/profile/cpu-summary.ts";
import { Inspector } from "../scale/profile/inspector.ts";
import { mappedBuild, sourcesOf } from "../scale/profile/mapped-build.ts";
import { fileNameOf } from "./worst-figure.ts";

export const FOLDER = "bench/results/profile";
const BUILD = join(FOLDER, "operator");

/** An operator whose processor time can be recorded, by file and function of the sources. */
export class RecordedOperator {
  readonly operator: StartedOperator;
  readonly #inspector: Inspector;

  /** Starts it; `fromStart` has it recorded from its first moment on, otherwise it watches. */
  static async start(stage: Stage, cleanup: Cleanup, { fromStart = false } = {}): Promise<RecordedOperator> {
    // Of an earlier run.
    await rm(BUILD, { recursive: true, force: true });
    await mkdir(BUILD, { recursive: true });
    const [program, [port = 0]] = [await mappedBuild(BUILD), await freePorts(1)];
    const nodeFlags = [`--inspect${fromStart ? "-brk" : ""}=127.0.0.1:${port}`];
    const operator = await stage.startOperator({ program, nodeFlags });
    const inspector = await cleanup.use(Inspector.open(port), async (opened) => opened.close());
    await inspector.ask("Profiler.enable");
    const recorded = new RecordedOperator(operator, inspector);
    if (fromStart) await recorded.#begin();
    await inspector.ask("Runtime.runIfWaitingForDebugger");
    await operator.watchingMs();
    return recorded;
  }

  private constructor(operator: StartedOperator, inspector: Inspector) {
    this.operator = operator;
    this.#inspector = inspector;
  }

  async record(figure: string, work: () => Promise<unknown>): Promise<void> {
    await this.#begin();
    await work();
    await this.end(figure);
  }

  /** Writes down what was recorded, under the name of a figure: all of it, and in words where most of the time went. */
  async end(figure: string): Promise<void> {
    const { profile } = await this.#inspector.ask<{ profile: CpuProfile }>("Profiler.stop");
    const file = join(FOLDER, fileNameOf({ name: figure }));
    await writeFile(`${file}.cpuprofile`, JSON.stringify(profile));
    await writeFile(`${file}.txt`, `${linesOf(figure, cpuSummary(profile, sourcesOf(BUILD)))}\n`);
  }

  async #begin(): Promise<void> {
    await this.#inspector.ask("Profiler.start");
  }
}
