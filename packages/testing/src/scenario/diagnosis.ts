import { readFile } from "node:fs/promises";
import type { LocalModeUnderTest } from "../local/local-mode.ts";

const LOG_LINES = 60;
const EVENT_LINES = 40;

/** What a person would check after a failure: objects, events, the ends of the operators' logs. */
export async function diagnosis(
  { tryKubectl }: Pick<LocalModeUnderTest, "tryKubectl">,
  logs: readonly string[],
): Promise<string> {
  const look = async (...args: readonly string[]) => {
    const { stdout, stderr } = await tryKubectl(args);
    return `--- kubectl ${args.join(" ")}\n${stdout}${stderr}`;
  };
  const all = "--all-namespaces";
  const parts = await Promise.all([
    look("get", "etcd", all, "-o", "yaml"),
    look("get", "pods,services,pvc,pdb,leases", all, "-o", "wide"),
    look("get", "events", all, "--sort-by=.lastTimestamp").then((text) => lastLines(text, EVENT_LINES)),
    ...logs.map(endOf),
  ]);
  return `${parts.join("\n")}\n`;
}

async function endOf(log: string): Promise<string> {
  const text = await readFile(log, "utf8").catch((error: Error) => error.message);
  return `--- ${log}\n${lastLines(text, LOG_LINES)}`;
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
