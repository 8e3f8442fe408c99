import { readFile } from "node:fs/promises";
import type { Stage } from "./stage.ts";

const EVENT_LINES = 30;
const LOG_LINES = 40;

/** What a person would check after a plan failed, of its namespace alone. */
export async function tellOf({ world, namespace, watch }: Stage): Promise<string> {
  const look = async (...args: readonly string[]) => {
    const { stdout, stderr } = await world.local.tryKubectl([...args, "-n", namespace]);
    return `--- kubectl ${args.join(" ")}\n${stdout}${stderr}`;
  };
  const log = await readFile(world.operator.log, "utf8").catch(() => "");
  return [
    await look("get", "etcd", "-o", "yaml"),
    await look("get", "pods,pvc", "-o", "wide"),
    last(await look("get", "events", "--sort-by=.lastTimestamp"), EVENT_LINES),
    `--- starts\n${world.starts
      .starts(namespace)
      .map((start) => JSON.stringify(start))
      .join("\n")}`,
    `--- told\n${watch.told.join("\n")}`,
    `--- operator\n${last(
      log
        .split("\n")
        .filter((line) => line.includes(namespace))
        .join("\n"),
      LOG_LINES,
    )}`,
  ].join("\n");
}

function last(text: string, lines: number): string {
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
