import { copyFile, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { startGuarded } from "../../src/local/processes/guarded-process.ts";
import type { Cleanup } from "../cleanup.ts";
import { FOLDER } from "./recorded-operator.ts";
import { fileNameOf } from "./worst-figure.ts";

const PROGRAM = "bench/scale/profile/main.ts";

/** Runs the profile of the suite `scale` with as many clusters as a figure is about, and keeps it under the figure's name. */
export async function profileScale(figure: string, cleanup: Cleanup): Promise<void> {
  const file = join(FOLDER, fileNameOf({ name: figure }));
  await mkdir(FOLDER, { recursive: true });
  await rm(`${file}.txt`, { force: true });
  const kind = figure.includes("with TLS") ? ["tls"] : [];
  const args = ["--import", "tsx", PROGRAM, String(clustersIn(figure)), ...kind];
  const running = startGuarded({ name: "the profile", file: process.execPath, args, log: `${file}.txt` });
  await cleanup.use(Promise.resolve(running), (started) => started.stop());
  const how = await running.ended;
  if (how !== "exit code 0") throw new Error(`the profile ended (${how}): see ${file}.txt`);
  await copyFile(join(FOLDER, `${phaseOf(figure)}.cpuprofile`), `${file}.cpuprofile`);
}

/** What the operator was doing when a figure was taken. */
export function phaseOf(figure: string): "start" | "idle" | "changes" {
  if (figure.includes("start to")) return "start";
  return / change\b|: a change /.test(figure) ? "changes" : "idle";
}

/** Of how many clusters a figure tells; of a growth, those that it ends with. */
export function clustersIn(figure: string): number {
  const [, text = "1,000"] = /growth from [\d,]+ to ([\d,]+)/.exec(figure) ?? /([\d,]+) clusters/.exec(figure) ?? [];
  return Number(text.replaceAll(",", ""));
}
