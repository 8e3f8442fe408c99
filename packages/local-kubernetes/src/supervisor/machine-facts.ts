import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { executableInPath } from "../processes/executable.ts";
import { type MachineFacts, NEEDED_PROGRAMS } from "./preflight.ts";

/** Looks at the machine: who we are, what is installed, what the kernel allows. */
export async function machineFacts(): Promise<MachineFacts> {
  const missingPrograms = await missing(Object.keys(NEEDED_PROGRAMS));
  const isRoot = process.getuid?.() === 0;
  const canTry = isRoot && !missingPrograms.includes("unshare");
  return {
    platform: process.platform,
    isRoot,
    missingPrograms,
    namespaceError: canTry ? await namespaceError() : undefined,
  };
}

async function missing(programs: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(programs.map((program) => executableInPath(program)));
  return programs.filter((_, index) => found[index] === undefined);
}

async function namespaceError(): Promise<string | undefined> {
  try {
    await promisify(execFile)("unshare", ["--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "true"]);
    return undefined;
  } catch (error) {
    return ((error as { stderr?: string }).stderr ?? String(error)).trim();
  }
}

/** A free port that is easily told from the one that is taken. */
export async function freePortBeside(port: number): Promise<number> {
  for (let other = port + 1000; other <= 65_535; other += 1000) if (await isFree(other)) return other;
  return port > 16_000 ? freePortBeside(1443) : port;
}

export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
