import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** The processes of a pod that run a program, by their ids on this machine. */
export async function podProcesses(stateDir: string, podUid: string, program: string): Promise<readonly number[]> {
  const sandbox = (await readFile(join(stateDir, "pods", podUid, "sandbox.pid"), "utf8")).trim();
  const network = await readlink(`/proc/${sandbox}/ns/net`);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(pids.map(async (pid) => ((await runs(pid, network, program)) ? [Number(pid)] : [])));
  return found.flat();
}

async function runs(pid: string, network: string, program: string): Promise<boolean> {
  try {
    const [namespace, command] = await Promise.all([
      readlink(`/proc/${pid}/ns/net`),
      readFile(`/proc/${pid}/cmdline`, "utf8"),
    ]);
    return namespace === network && command.split("\0")[0] === program;
  } catch {
    return false; // It has ended in the meantime.
  }
}
